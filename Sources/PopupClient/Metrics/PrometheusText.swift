/// Metrics in the text format of Prometheus, version 0.0.4.
public struct PrometheusText: Sendable {
    /// The media type of the format.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The type of a metric.
    public enum Kind: String, Sendable {
        /// A value that goes up and down.
        case gauge
        /// A value that only grows, until the process restarts.
        case counter
        /// A distribution.
        case histogram
    }

    /// The labels of a series, by name.
    public typealias Labels = [(name: String, value: String)]

    /// The text so far.
    public private(set) var text = ""

    /// Creates an empty text.
    public init() {}

    /// Adds a metric with one series.
    public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: UInt64, labels: Labels = []) {
        addHead(name, kind, help)
        addSample(name, labels, "\(value)")
    }

    /// Adds a metric with one series, whose value is a number of seconds, which need not be whole and may be infinite.
    public mutating func add(_ name: String, _ kind: Kind, _ help: String, seconds value: Double) {
        addHead(name, kind, help)
        addSample(name, [], value == .infinity ? "+Inf" : "\(value)")
    }

    /// Adds a metric with a series for each value of a label.
    public mutating func add(
        _ name: String, _ kind: Kind, _ help: String, _ samples: [(label: String, value: String, number: UInt64)]
    ) {
        add(name, kind, help, samples.map { (labels: [(name: $0.label, value: $0.value)], number: $0.number) })
    }

    /// Adds a metric with several series.
    public mutating func add(
        _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: Labels, number: UInt64)]
    ) {
        addHead(name, kind, help)
        for sample in samples { addSample(name, sample.labels, "\(sample.number)") }
    }

    /// Adds the head of a metric, whose series follow.
    ///
    /// - Parameters:
    ///   - name: The name: letters, digits and `_`. That of a counter ends in `_total`.
    ///   - kind: The type.
    ///   - help: One sentence, on one line and without backslashes.
    public mutating func addHead(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Adds a series of a histogram.
    ///
    /// - Parameters:
    ///   - name: The name of the metric, whose head was added.
    ///   - labels: The labels.
    ///   - buckets: The upper bounds in ascending order, in seconds, and the numbers of values in each bucket alone.
    ///   - sum: The sum of all values in seconds.
    ///   - count: The number of all values, those beyond the last bound included.
    public mutating func addDistribution(
        _ name: String, _ labels: Labels = [], buckets: [(upTo: Double, count: UInt64)], sum: Double, count: UInt64
    ) {
        var total: UInt64 = 0
        for bucket in buckets {
            total = total.addingSaturated(bucket.count)
            addSample(name + "_bucket", labels + [(name: "le", value: "\(bucket.upTo)")], "\(total)")
        }
        addSample(name + "_bucket", labels + [(name: "le", value: "+Inf")], "\(count)")
        addSample(name + "_sum", labels, "\(sum)")
        addSample(name + "_count", labels, "\(count)")
    }

    private mutating func addSample(_ name: String, _ labels: Labels, _ value: String) {
        let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
        text += "\(name)\(pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") \(value)\n"
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        // Not by characters: a carriage return and a line feed are one.
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
