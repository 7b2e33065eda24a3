import Foundation
import Logging
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("A recorder")
struct RecorderTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    private func file(_ maximumBytes: Int = 1 << 20) throws -> RecordingFile {
        try RecordingFile(path: folder.appending(path: "r.jsonl").path, maximumBytes: maximumBytes, logger: logger)
    }

    private func lines(_ file: RecordingFile) throws -> [String] {
        file.close()
        return try String(contentsOfFile: file.path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test("writes what is committed with its time, as a simulation reads it")
    func lines() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try file()
        var configuration = BrokerConfiguration()
        configuration.policies = [
            .with {
                $0.group = "g"; $0.preset = .fifo
            }
        ]
        let broker = try Harness(configuration, plugins: [CommandRecorder(file)])
        try broker.advance(to: 70)
        try broker.send(
            #"{"producer":"000000000000000000000000000000ab","sequence":"1","show":{"group":"g","text":"a\nb"}}"#,
            #"{"query":{"client":"c","nonce":"1","stats":{}}}"#, "nonsense", #"{"dismiss":{"id":"nobody"}}"#)
        try broker.advance(to: 80)
        configuration.policies = []
        try broker.reconfigure(configuration)
        #expect(
            try lines(file) == [
                #"{"at":0,"setPolicy":{"group":"g","preset":"FIFO"}}"#,
                #"{"at":70,"producer":"000000000000000000000000000000ab","sequence":"1","show":{"id":"popup-1-1","group":"g","text":"a\nb"}}"#,
                #"{"at":70,"dismiss":{"id":"nobody"}}"#,
                #"{"at":80,"removePolicy":{"group":"g"}}"#,
            ])
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("begins with the wall clock and the configuration's policies of a broker that goes on with a journal")
    func start() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = MemoryJournal()
        var configuration = BrokerConfiguration()
        configuration.policies = [.with { $0.group = "g" }]
        var first = try start(journal, configuration, plugins: [], at: 1000, wallClockLead: 0)
        try first.close()
        var second = try start(journal, configuration, plugins: [], at: 2000, wallClockLead: 5000)
        try second.close()

        let file = try file()
        var third = try start(
            journal, configuration, plugins: [CommandRecorder(file)], at: 3000, wallClockLead: 5000)
        try third.close()
        #expect(
            try lines(file) == [
                #"{"at":3000,"setWallClock":{"aheadMs":5000}}"#, #"{"at":3000,"setPolicy":{"group":"g"}}"#,
            ])
    }

    private func start(
        _ journal: any Journal, _ configuration: BrokerConfiguration, plugins: [any BrokerPlugin], at time: Int64,
        wallClockLead: Int64
    ) throws -> BrokerLoop {
        try BrokerLoop.start(
            configuration: configuration, timeZones: LoadedTimeZones(.system), transport: InProcessTransport(),
            journal: journal, plugins: plugins, logger: logger, at: time, wallClockLead: wallClockLead)
    }

    @Test("writes the configuration's policy that comes back, as it is at that time")
    func unsetPolicy() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try file()
        func configuration(_ preset: WirePreset.Name) -> BrokerConfiguration {
            var configuration = BrokerConfiguration()
            configuration.policies = [
                .with {
                    $0.group = "g"
                    $0.preset = preset
                }
            ]
            return configuration
        }
        let broker = try Harness(configuration(.fifo), plugins: [CommandRecorder(file)])
        try broker.send(#"{"unsetPolicy":{"group":"g"}}"#, #"{"unsetPolicy":{"group":"h"}}"#)
        try broker.reconfigure(configuration(.lifo))
        try broker.send(#"{"setPolicy":{"group":"g","preset":"POLITE"}}"#, #"{"unsetPolicy":{"group":"g"}}"#)
        #expect(
            try lines(file) == [
                #"{"at":0,"setPolicy":{"group":"g","preset":"FIFO"}}"#,
                #"{"at":0,"setPolicy":{"group":"g","preset":"FIFO"}}"#, #"{"at":0,"unsetPolicy":{"group":"h"}}"#,
                #"{"at":0,"setPolicy":{"group":"g","preset":"LIFO"}}"#,
                #"{"at":0,"setPolicy":{"group":"g","preset":"POLITE"}}"#,
                #"{"at":0,"setPolicy":{"group":"g","preset":"LIFO"}}"#,
            ])
    }

    @Test("writes a setting of the wall clock in its place among the commands of its batch")
    func wallClock() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try file()
        var loop = try start(
            MemoryJournal(), BrokerConfiguration(), plugins: [CommandRecorder(file)], at: 1000, wallClockLead: 0)
        try loop.append(.with { $0.advance.group = "a" }, call: nil)
        loop.recordWallClock(ahead: 5000)
        try loop.append(.with { $0.advance.group = "b" }, call: nil)
        _ = try loop.turn(at: 1000)
        try loop.close()
        #expect(
            try lines(file) == [
                #"{"at":1000,"advance":{"group":"a"}}"#, #"{"at":1000,"setWallClock":{"aheadMs":5000}}"#,
                #"{"at":1000,"advance":{"group":"b"}}"#,
            ])
    }

    @Test("ends before its file is larger than it may be, with a whole line, and the broker goes on")
    func full() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try file(100)
        let broker = try Harness(plugins: [CommandRecorder(file)], subscriptions: ["events/"])
        for id in ["A", "B", "C", "D"] { try broker.send(#"{"show":{"id":"\#(id)","group":"g"}}"#) }
        #expect(try broker.receivedEvents().count == 4)
        #expect(
            try lines(file) == [
                #"{"at":0,"show":{"id":"A","group":"g"}}"#, #"{"at":0,"show":{"id":"B","group":"g"}}"#,
            ])
    }

    @Test("overwrites nothing, and says where it can't write")
    func refused() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try file()
        let error = #expect(throws: RecordingError.self) { try file() }
        #expect(error?.description == "\(first.path) is there already; move it away or record into another file")
        let nowhere = #expect(throws: RecordingError.self) {
            try RecordingFile(path: "/nowhere/r.jsonl", maximumBytes: 1, logger: logger)
        }
        #expect(
            nowhere?.description
                == "/nowhere/r.jsonl cannot be created: No such file or directory; choose another place")
    }
}
