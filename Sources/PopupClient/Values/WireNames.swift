public import PopupProtocol

// The names of the schema.

extension WireClosed.Reason {
    /// The reason as the schema writes it.
    public var name: String { schemaName }
}

extension WirePhase.Name {
    /// The phase in lower case.
    public var name: String { schemaName.lowercased() }
}

extension WireCause.Kind {
    /// The event's name.
    public var name: String { schemaName.lowercased() }
}
