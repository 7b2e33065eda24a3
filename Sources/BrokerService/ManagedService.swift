import PopupBroker
import Supervision

/// The broker's progress, as it is told to the service manager.
struct ManagedService: Supervisor {
    private let manager: ServiceManager

    /// Creates the supervisor that notifies `manager`.
    init(_ manager: ServiceManager) { self.manager = manager }

    var turnInterval: Int64? { manager.watchdogMicroseconds.map { Int64(clamping: $0 / 1000) } }

    func recordRecovery() { manager.notifyStartGoesOn() }

    func recordTurn() { manager.beat() }
}
