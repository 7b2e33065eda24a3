"""Compares the broker with a bare relay, and with others, in interleaved runs on one machine.

Absolute figures drift with the machine: only ratios between runs that follow one another count.
See Documentation/Performance.md for what is measured.
"""
