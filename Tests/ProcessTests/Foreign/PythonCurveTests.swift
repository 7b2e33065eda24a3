import Foundation
import TestPrograms
import Testing
import ZeroMQ

@Suite(
    "A client of plain pyzmq at a broker with keys", .ownThread,
    .enabled(if: Python.hasZeroMQ, "python3 cannot import zmq; `make test` installs it"))
struct PythonCurveTests {
    private struct Outcome: Decodable, Equatable {
        var text: String?
        var failure: String?
        /// Whether the text of the popup went over the wire as it is.
        var clear: Bool
    }

    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Makes a key: its file, and that of its public half.
    private func makeKey(_ name: String) throws -> (file: String, publicFile: String, publicKey: String) {
        let keys = try CurveKeyPair.random()
        let (file, publicFile) = (folder.path("\(name).key"), folder.path("\(name).pub"))
        try KeyFile(file).create(keys)
        try folder.write("\(name).pub", "\(keys.publicKey)\n")
        return (file, publicFile, "\(keys.publicKey)")
    }

    private func outcome(_ broker: BrokerProcess, _ text: String, _ keys: String...) throws -> Outcome {
        let result = try Python.start("curve.py", [broker.ingress, broker.egress, text] + keys).result()
        return try JSONDecoder().decode(Outcome.self, from: Data(result.output.utf8))
    }

    @Test("It works with its key, encrypted; with another's key, name or broker, or without one, it gets nothing")
    func keys() throws {
        let (server, freight) = (try makeKey("broker"), try makeKey("freight"))
        let stranger = try makeKey("stranger")
        let configuration = try folder.write(
            "popup-broker.yaml",
            """
            security:
              curve: {secretKeyFile: "\(server.file)"}
              users:
                - {name: freight, publicKey: "\(freight.publicKey)"}
            """)
        let broker = try BrokerProcess(configuration: configuration)

        #expect(
            try outcome(broker, "a-right-key", freight.file, server.publicFile)
                == Outcome(text: "a-right-key", clear: false))
        #expect(
            try outcome(broker, "an-unknown-key", stranger.file, server.publicFile)
                == Outcome(failure: "denied", clear: false))
        #expect(
            try outcome(broker, "a-stolen-name", stranger.file, server.publicFile, "freight")
                == Outcome(failure: "denied", clear: false))
        #expect(
            try outcome(broker, "another-broker", freight.file, stranger.publicFile)
                == Outcome(failure: "ended", clear: false))
        // It sees the broker's greeting, or only the end of the connection.
        let plain = try outcome(broker, "no-key")
        #expect(["protocol", "ended"].contains(plain.failure))
        #expect(!plain.clear)
        // A client of libzmq may end the connection before the broker has its greeting; this one sends it whole.
        #expect(throws: (any Error).self) { try RawPeer(broker.ingress, as: "PUB") }
        try broker.process.waitForLog("its public key \(stranger.publicKey) is not one of a user")
        try broker.process.waitForLog("it has no key, and this endpoint speaks CURVE only")
        try broker.process.waitForLog("its handshake is not one of CURVE with this broker's public key")
    }

    @Test("At a broker without keys everything goes over the wire as it is")
    func plain() throws {
        #expect(try outcome(BrokerProcess(), "for-all-to-read") == Outcome(text: "for-all-to-read", clear: true))
    }
}
