import ZeroMQ

/// The sockets of a connection, with the progress of their handshakes.
struct ConnectionSockets: ~Copyable {
    let ingress: Socket
    let egress: Socket
    var ingressHandshakes: Handshakes
    var egressHandshakes: Handshakes

    private static let options: [SocketOption] =
        [
            .handshakeInterval(milliseconds: 3000), .ipv6(true), .reconnectInterval(milliseconds: 100),
            .maxReconnectInterval(milliseconds: 2000),
        ] + .dropsDeadPeers

    /// Creates the sockets, and begins to connect them.
    ///
    /// - Parameter lingerMilliseconds: The time for which the last messages are still sent after the sockets are closed.
    init(_ endpoints: BrokerEndpoints, _ keys: ClientKeys?, lingerMilliseconds: Int32) throws(ZeroMQError) {
        let context = try Context()
        let ingress = try Socket(
            context, .xpub,
            options: Self.options + (keys?.options(for: endpoints.ingress) ?? []) + [
                .immediate(true), .xpubNoDrop(true), .linger(milliseconds: lingerMilliseconds),
            ])
        let egress = try Socket(
            context, .sub,
            options: Self.options + (keys?.options(for: endpoints.egress) ?? []) + [.receiveHighWaterMark(10_000)])
        let ingressHandshakes = try Handshakes(of: ingress, with: endpoints.ingress, hasKeys: keys != nil)
        let egressHandshakes = try Handshakes(of: egress, with: endpoints.egress, hasKeys: keys != nil)
        do throws(ZeroMQError) {
            try ingress.connect(endpoints.ingress)
            try egress.connect(endpoints.egress)
        } catch {
            // Before the monitors end.
            ingress.stopMonitoring()
            egress.stopMonitoring()
            throw error
        }
        self.ingress = ingress
        self.egress = egress
        self.ingressHandshakes = ingressHandshakes
        self.egressHandshakes = egressHandshakes
    }

    /// Returns a poller of both sockets and of their handshakes.
    func poller() throws(ZeroMQError) -> Poller {
        var poller = Poller()
        _ = poller.add(ingress)
        _ = poller.add(egress)
        _ = poller.add(fileDescriptor: try ingressHandshakes.fileDescriptor)
        _ = poller.add(fileDescriptor: try egressHandshakes.fileDescriptor)
        return poller
    }

    /// Updates the handshakes by what the monitors have reported.
    mutating func updateHandshakes(at now: ContinuousClock.Instant) throws(ZeroMQError) {
        try ingressHandshakes.update(ingress, at: now)
        try egressHandshakes.update(egress, at: now)
    }

    /// The time of the next attempt to connect; `nil` if none is due.
    var nextAttempt: ContinuousClock.Instant? {
        [ingressHandshakes.deadline, egressHandshakes.deadline].compactMap(\.self).min()
    }

    /// The reason for which the broker cannot be reached, if a handshake failed.
    var handshakeFailure: HandshakeFailure? { ingressHandshakes.failure ?? egressHandshakes.failure }

    /// Ends the monitors before the sockets.
    func stopMonitoring() {
        ingress.stopMonitoring()
        egress.stopMonitoring()
    }
}
