import Logging
import PopupConfiguration

/// A log handler that writes each event as a line to the writer of standard error.
struct StandardErrorLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let settings: LogSettings
    private let writer: LineWriter
    private var ownLevel: Logger.Level?

    init(settings: LogSettings, writer: LineWriter) {
        self.settings = settings
        self.writer = writer
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? settings.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var fields = metadata
        fields.merge(metadataProvider?.get() ?? [:]) { $1 }
        fields.merge(event.metadata ?? [:]) { $1 }
        if let error = event.error { fields["error"] = "\(error)" }
        let line = LogLine(level: event.level, message: event.message.description, fields: fields)
        writer.write(line.text(settings.format), isCritical: event.level == .critical)
    }
}
