// Applications use the values of clients.
@_exported public import PopupValues
