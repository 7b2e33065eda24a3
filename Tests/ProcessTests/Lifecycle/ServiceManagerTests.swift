import Glibc
import Testing
import TestPrograms

@Suite("A broker that a service manager has started", .ownThread)
struct ServiceManagerTests {
    @Test("says when it is ready, reads its configuration again, and stops")
    func life() throws {
        let socket = try NotificationSocket()
        let folder = try TemporaryDirectory()
        let file = try folder.write("broker.yaml", "limits: {groups: 500}\n")
        let broker = try BrokerProcess(configuration: file, environment: ["NOTIFY_SOCKET": socket.name])

        #expect(socket.next()?["STATUS"] == "Reading the data directory")
        let ready = try #require(socket.next())
        #expect(
            ready == [
                "READY": "1", "STATUS": "Ready at \(broker.ingress) and \(broker.egress), epoch \(broker.epoch)",
            ])
        try broker.wire(following: "state/").settle()

        broker.process.signal(SIGHUP)
        #expect(socket.next()?["RELOADING"] == "1")
        #expect(
            socket.next() == ["READY": "1", "STATUS": "Ready, with the configuration that was read again"])

        try folder.write("broker.yaml", "limits: {gruops: 500}\n")
        broker.process.signal(SIGHUP)
        #expect(socket.next()?["RELOADING"] == "1")
        let kept = try #require(socket.next())
        #expect(kept["READY"] == "1")
        #expect(kept["STATUS"]?.contains("the previous configuration") == true)

        broker.process.signal(SIGTERM)
        #expect(socket.next() == ["STOPPING": "1", "STATUS": "Stopping"])
        #expect(try broker.process.result().exit == .code(0))
        #expect(socket.next(within: .zero) == nil)
    }

    @Test("whose port is taken never says that it is ready")
    func notReady() throws {
        let first = try BrokerProcess()
        let socket = try NotificationSocket()
        let result = try ChildProcess(
            Programs.broker, ["run", "--ingress", first.ingress, "--egress", "tcp://127.0.0.1:*"],
            environment: ["NOTIFY_SOCKET": socket.name, "POPUP_BROKER_JOURNAL_DURABILITY": "memory"]
        ).result()
        #expect(result.exit == .code(69))
        #expect(socket.next(with: "READY", within: .milliseconds(1)) == nil)
    }

    @Test("serves although the service manager's socket cannot be used")
    func unusableSocket() throws {
        let broker = try BrokerProcess(environment: ["NOTIFY_SOCKET": "vsock:2:1"])
        try broker.process.waitForLog("NOTIFY_SOCKET=vsock:2:1")
        try broker.wire(following: "state/").settle()
    }

    @Test("tells the watchdog from its loop that it goes on, and nothing while the loop waits for a disk")
    func watchdog() throws {
        let commit = Duration.seconds(3)
        let disk = try SlowDisk(commit: commit)
        let folder = try TemporaryDirectory()
        let socket = try NotificationSocket()
        let broker = try BrokerProcess(
            configuration: try folder.write("broker.yaml", "{}\n"), arguments: ["--data-dir", folder.path("data")],
            environment: disk.environment.merging(["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "300000"]) { $1 })
        // An idle broker.
        for _ in 0..<5 { #expect(socket.next(with: "WATCHDOG") != nil) }

        let wire = try broker.wire(following: "events/")
        try disk.becomeSlow()
        try wire.send(show("A", in: "g"))
        // The loop waits for a commit when it reads its configuration again, also where it is known by now that the disk is
        // slow.
        var longest = Duration.zero
        let end = Deadline.standard
        while longest < .seconds(2), !end.isOver {
            let before = ContinuousClock.now
            broker.process.signal(SIGHUP)
            guard socket.next(with: "WATCHDOG") != nil else { break }
            longest = max(longest, ContinuousClock.now - before)
        }
        #expect(longest >= .seconds(2))
        disk.becomeFast()
        for _ in 0..<5 { #expect(socket.next(with: "WATCHDOG") != nil) }
        try wire.event("A shown", of: "g")
    }
}
