// Whoever embeds a broker names users and gives them rights.
@_exported public import PopupAccess
// Whoever embeds a broker has its events, its state and its commands as the state machine has them.
@_exported public import PopupState
