/// A `show` in the JSON of the wire: `show("A", in: "g", #""priority":5,"durationMs":300"#)`.
func show(_ id: String, in group: String, _ fields: String = "") -> String {
    #"{"show":{"id":"\#(id)","group":"\#(group)"\#(fields.isEmpty ? "" : ",")\#(fields)}}"#
}

/// A `dismiss` in the JSON of the wire.
func dismiss(_ id: String, _ action: String = "ok") -> String {
    #"{"dismiss":{"id":"\#(id)","action":"\#(action)"}}"#
}
