"""Sites as they are served: what a client would fetch, made into documents like those of a tree."""
