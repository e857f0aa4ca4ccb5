"""One module a topic; every rule is a function with its documentation (see `agentskills_lint.rule`)."""
