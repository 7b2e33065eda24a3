import Foundation
import Logging
@testable import PopupBroker
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
