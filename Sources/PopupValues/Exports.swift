// Applications use the types of the protocol for popups, events and groups.
@_exported public import PopupProtocol
