class Failure(Exception):
    """A run that can't count: something was lost or doubled, or didn't start. Its text is for people."""
