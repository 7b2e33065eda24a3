import Foundation
import Testing

@Suite(
    "A client of plain pyzmq that wants to know", .ownThread,
    .enabled(if: Python.hasZeroMQ, "python3 cannot import zmq; `make test` installs it"))
struct PythonAckTests {
    let broker: BrokerProcess

    init() throws { broker = try BrokerProcess() }

    private struct Answer: Decodable, Equatable {
        struct Refusal: Decodable, Equatable {
            var sequence: String
            var reason: String
        }
        struct State: Decodable, Equatable {
            struct Active: Decodable, Equatable {
                var id: String
            }

            var epoch: String
            var group: String
            var revision: String
            var active: Active?
        }
        struct End: Decodable, Equatable {
            var epoch: String
            var states: String
        }

        var epoch: String?
        var cumulative: String?
        var refusals: [Refusal]?
        var states: [State]?
        var end: End?
    }

    @Test("gets acknowledgements for its commands, and a snapshot of its groups")
    func acksAndSnapshot() throws {
        let result = try Python.start("acks.py", [broker.ingress, broker.egress]).result()
        #expect(result.error == "")
        let answers = try result.lines.map { try JSONDecoder().decode(Answer.self, from: Data($0.utf8)) }
        let epoch = String(broker.epoch)
        #expect(
            answers == [
                Answer(epoch: epoch, cumulative: "4", refusals: [.init(sequence: "2", reason: "NOT_FOUND")]),
                Answer(states: [
                    .init(epoch: epoch, group: "lobby", revision: "1", active: .init(id: "A")),
                    .init(epoch: epoch, group: "lobby/left", revision: "1", active: .init(id: "B")),
                ]),
                Answer(end: .init(epoch: epoch, states: "2")),
            ])
    }
}
