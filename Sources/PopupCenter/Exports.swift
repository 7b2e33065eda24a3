// Policies, explanations and limits are those of the rules.
@_exported public import PopupScheduling
