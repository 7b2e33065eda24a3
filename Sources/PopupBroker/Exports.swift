// Whoever embeds a broker has its events, its state and its commands as the state machine has them.
@_exported public import PopupState
