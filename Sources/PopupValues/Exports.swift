// What applications need in addition to the values: names and the version.
@_exported public import enum PopupProtocol.ProductVersion
@_exported public import struct PopupProtocol.ClientToken
@_exported public import struct PopupProtocol.GroupName
@_exported public import struct PopupProtocol.GroupPattern
