// An application that links the client speaks of popups, events and groups, whose types are the protocol's.
@_exported public import PopupProtocol
