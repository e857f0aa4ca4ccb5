"""The linter against the floor: what reading and parsing alone cost."""
