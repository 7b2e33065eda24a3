import Supervision
import SystemCalls
import Testing
import TestPrograms

@Suite("A service manager", .serialized)
struct ServiceManagerTests {
    private func manager(_ socket: NotificationSocket, _ more: [String: String] = [:]) throws -> ServiceManager {
        try #require(try ServiceManager(environment: ["NOTIFY_SOCKET": socket.name].merging(more) { $1 }))
    }

    @Test("is notified at a path and at an abstract name", arguments: NotificationSocket.Kind.allCases)
    func notifications(kind: NotificationSocket.Kind) throws {
        let socket = try NotificationSocket(kind)
        let manager = try manager(socket)

        manager.notifyStarting("Reading")
        #expect(socket.next() == ["STATUS": "Reading", "EXTEND_TIMEOUT_USEC": "600000000"])
        manager.notifyReady("Ready\nfor all")
        #expect(socket.next() == ["READY": "1", "STATUS": "Ready for all"])

        let before = MonotonicTime.microseconds
        manager.notifyReloading()
        let reload = try #require(socket.next())
        #expect(reload["RELOADING"] == "1")
        let time = try #require(reload["MONOTONIC_USEC"].flatMap { UInt64($0) })
        #expect((before...MonotonicTime.microseconds).contains(time))

        manager.notifyStopping()
        #expect(socket.next() == ["STOPPING": "1", "STATUS": "Stopping"])
    }

    @Test("is there only if the environment names one that can be used")
    func names() throws {
        #expect(try ServiceManager(environment: [:]) == nil)
        #expect(try ServiceManager(environment: ["NOTIFY_SOCKET": ""]) == nil)
        for name in ["relative", "vsock:2:1234", "@", "/", "/" + String(repeating: "x", count: 200)] {
            #expect(throws: SupervisionError.address(name)) {
                try ServiceManager(environment: ["NOTIFY_SOCKET": name])
            }
        }
    }

    @Test("that has gone disturbs nothing, and gets the next beat when it is back")
    func gone() throws {
        var socket: NotificationSocket? = try NotificationSocket()
        let name = try #require(socket?.name)
        let manager = try manager(#require(socket), ["WATCHDOG_USEC": "600000000"])
        socket = nil
        manager.notifyReady("Ready")
        manager.beat()

        let back = try NotificationSocket(at: name)
        manager.beat()
        #expect(back.next() == ["WATCHDOG": "1"])
    }

    @Test("with a watchdog gets a beat in the third part of its time, and without one none")
    func beats() throws {
        let socket = try NotificationSocket()
        let patient = try manager(socket, ["WATCHDOG_USEC": "600000000", "WATCHDOG_PID": "\(getpid())"])
        let none = try manager(socket)
        let other = try manager(socket, ["WATCHDOG_USEC": "600000000", "WATCHDOG_PID": "\(getpid() + 1)"])
        #expect(patient.watchdogMicroseconds == 600_000_000)
        #expect(none.watchdogMicroseconds == nil)
        #expect(other.watchdogMicroseconds == nil)
        for _ in 0..<1000 {
            for manager in [patient, none, other] { manager.beat() }
        }
        none.notifyStopping()
        #expect(socket.next() == ["WATCHDOG": "1"])
        #expect(socket.next()?["STOPPING"] == "1")
    }

    @Test("that reads nothing delays neither a beat nor a start, and is told again when it reads")
    func unread() throws {
        let socket = try NotificationSocket()
        var manager = try manager(socket, ["WATCHDOG_USEC": "3"])
        var times: [Duration] = []
        // On a busy machine, this thread itself may wait for a core; it hardly does so each time.
        for _ in 1...5 {
            manager = try self.manager(socket, ["WATCHDOG_USEC": "3"])
            let begin = ContinuousClock.now
            // Far more than the queue of a socket holds; one that waited would take 5 s each.
            for _ in 0..<2000 { manager.beat() }
            manager.notifyStartGoesOn()
            times.append(ContinuousClock.now - begin)
        }
        #expect(try #require(times.min()) < .seconds(4), "\(times)")

        while socket.next(within: .zero) != nil {}
        manager.beat()
        #expect(socket.next() == ["WATCHDOG": "1"])
    }

    @Test("extends the time of a start that goes on, once per second")
    func extensions() throws {
        let socket = try NotificationSocket()
        let manager = try manager(socket)
        let begin = ContinuousClock.now
        manager.notifyStarting("Reading")
        #expect(socket.next()?["STATUS"] == "Reading")
        var extensions = 0
        while extensions < 2, ContinuousClock.now - begin < .seconds(30) {
            manager.notifyStartGoesOn()
            if socket.next(within: .milliseconds(1)) == ["EXTEND_TIMEOUT_USEC": "600000000"] { extensions += 1 }
        }
        // Thousands of calls, of which one is told in each second.
        #expect(extensions == 2)
        #expect(ContinuousClock.now - begin >= .seconds(1))
    }
}

@Suite("A socket of the service manager")
struct InheritedSocketTests {
    @Test("is taken only if it is for this process, and alone")
    func listener() throws {
        let process = "\(getpid())"
        #expect(try InheritedSockets.listener(environment: [:]) == nil)
        #expect(try InheritedSockets.listener(environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1"]) == nil)
        #expect(try InheritedSockets.listener(environment: ["LISTEN_PID": process, "LISTEN_FDS": "0"]) == nil)
        #expect(try InheritedSockets.listener(environment: ["LISTEN_PID": process]) == nil)
        #expect(throws: SupervisionError.sockets(2)) {
            try InheritedSockets.listener(environment: ["LISTEN_PID": process, "LISTEN_FDS": "2"])
        }
    }
}

@Suite("The limit of open files")
struct OpenFilesTests {
    @Test("is raised to the highest value that needs no privileges, and told")
    func limit() throws {
        let limit = try #require(try OpenFiles.raiseLimit())
        var inForce = rlimit()
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &inForce) == 0)
        #expect(UInt64(inForce.rlim_cur) == limit)
        #expect(limit >= 1024 || limit == UInt64(inForce.rlim_max))
    }
}
