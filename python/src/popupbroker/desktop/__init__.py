"""Popups and the notifications of a desktop (``org.freedesktop.Notifications``), in both directions.

``popup-desktop bridge`` is the notification service of a session: each notification of a program becomes a popup.
``popup-desktop show`` shows the popups of groups through the notification service that there is, such as dunst.
"""
