"""The attacks, a module a family."""
