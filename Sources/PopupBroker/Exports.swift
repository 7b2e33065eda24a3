// An embedding program names users and gives them rights.
@_exported public import PopupAccess
// An embedding program receives events, state and commands in the form of the state machine.
@_exported public import PopupState
