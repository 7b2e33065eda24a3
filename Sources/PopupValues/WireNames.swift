public import PopupProtocol

// The names of the schema.

extension WireClosed.Reason {
    /// The name of the reason in the schema.
    public var name: String { schemaName }
}

extension WirePhase.Name {
    /// The phase in lower case.
    public var name: String { schemaName.lowercased() }
}

extension WireCause.Kind {
    /// The name of the event in lower case.
    public var name: String { schemaName.lowercased() }
}
