"""One job for each package: a small program, whose function job() returns named results."""
