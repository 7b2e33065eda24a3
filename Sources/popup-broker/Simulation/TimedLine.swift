import PopupProtocol
import PopupScheduling

/// A line of a simulation: a time, and the frame that a producer sends then.
struct TimedLine {
    /// The time in ms from the beginning of the simulation.
    var time: Int64
    /// The line without its member `at`: one JSON `Command` or `Batch`.
    var frame: [UInt8]
    /// The name or pattern whose policy the line removes. This is not a command of the protocol; only recordings have it.
    var removedPolicy: String?
    /// The time in ms by which the wall clock is ahead from then on. This is not a command of the protocol; only
    /// recordings have it.
    var wallClockLead: Int64?
    /// Whether a lease lasts until the renderer leaves. Only recordings have this, because they contain no renewals.
    var leasesLast: Bool

    /// The reason why a line cannot be simulated.
    enum Fault: Error, Equatable {
        case notJSON
        case notAnObject
        case noTime
        case badTime
    }

    init(_ line: [UInt8]) throws(Fault) {
        let object: AnyJSON
        do throws(JSONFault) { object = try AnyJSON(line) } catch { throw .notJSON }
        guard case .object = object else { throw .notAnObject }
        if let removed = object["removePolicy"], case .object = removed {
            removedPolicy = removed["group"]?.text ?? ""
        }
        if let setting = object["setWallClock"], case .object = setting {
            wallClockLead = setting["aheadMs"]?.integer() ?? 0
        }
        leasesLast = object["lasts"]?.flag ?? false
        let at: Int64?
        switch object["at"] {
        case nil: throw .noTime
        // 64-bit integers are strings in proto3 JSON; a plain number is what people write.
        case .text(let digits)?: at = Int64(digits)
        case let number?: at = number.integer()
        }
        guard let at, 0...TimeLimits.latest / 2 ~= at else { throw .badTime }
        time = at
        do throws(JSONFault) {
            frame = try AnyJSON.text(Array(line.drop { $0 != UInt8(ascii: "{") }), without: "at")
        } catch {
            throw .notJSON
        }
    }
}
