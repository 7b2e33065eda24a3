import Testing

@testable import ZeroMQTransport

@Suite("Whether a connection finishes its messages")
struct MessageProofTests {
    private let limit = MessageProof.suspicionBytes
    private let allowed = MessageProof.allowedBytes
    private let hour: Int64 = 3_600_000

    @Test("it is watched only when many bytes came since the last proof")
    func suspicion() {
        var proof = MessageProof(at: 0)
        #expect(proof.judge(bytesRead: limit, at: 0) == .calm)
        #expect(!proof.isWatched)
        #expect(proof.judge(bytesRead: limit + 1, at: 0) == .sending)
        #expect(proof.isWatched)
        #expect(proof.judge(bytesRead: limit + 1, at: 0) == .calm)
        #expect(proof.judge(bytesRead: limit + 2, at: 0) == .sending)
    }

    @Test("a whole message is the proof: what came before counts no more")
    func proof() {
        var proof = MessageProof(at: 0)
        _ = proof.judge(bytesRead: 10 * allowed, at: 0)
        proof.finishMessage(bytesRead: 10 * allowed, at: 0)
        #expect(!proof.isWatched)
        #expect(proof.judge(bytesRead: 10 * allowed + limit, at: 0) == .calm)
        #expect(!proof.isWatched)
    }

    @Test("what it sent before it was watched may have been messages: it is condemned only for what comes after")
    func condemned() {
        var proof = MessageProof(at: 0)
        #expect(proof.judge(bytesRead: 100 * allowed, at: 0) == .sending)
        #expect(proof.judge(bytesRead: 101 * allowed, at: 0) == .sending)
        #expect(proof.judge(bytesRead: 101 * allowed + 1, at: 0) == .condemned)
    }

    @Test("one that has sent much and is silent now is not condemned, however long")
    func silent() {
        var proof = MessageProof(at: 0)
        #expect(proof.judge(bytesRead: 100 * allowed, at: 0) == .sending)
        for number in 1...1000 {
            #expect(proof.judge(bytesRead: 100 * allowed, at: Int64(number) * hour) == .calm)
        }
    }

    @Test("silence earns nothing: one that was silent for long is watched after as many bytes as a new one")
    func aged() {
        var proof = MessageProof(at: 0)
        for time in stride(from: Int64(0), through: 24 * hour, by: 250) { _ = proof.judge(bytesRead: 100, at: time) }
        #expect(proof.judge(bytesRead: 100 + limit, at: 24 * hour) == .calm)
        #expect(proof.judge(bytesRead: 100 + limit + 1, at: 24 * hour) == .sending)
        #expect(proof.isWatched)
    }

    @Test("nor does the time between two checks, beyond some seconds")
    func unchecked() {
        var proof = MessageProof(at: 0)
        let heartbeats = MessageProof.heartbeatTime / 1000 * MessageProof.heartbeatBytes
        #expect(proof.judge(bytesRead: limit + heartbeats, at: hour) == .calm)
        #expect(proof.judge(bytesRead: limit + heartbeats + 1, at: hour) == .sending)
    }

    @Test("nor does silence while it is watched")
    func agedWatch() {
        var proof = MessageProof(at: 0)
        let begin = 10 * limit
        for time in stride(from: Int64(0), through: hour, by: 250) { _ = proof.judge(bytesRead: begin, at: time) }
        #expect(proof.judge(bytesRead: begin + allowed, at: hour) == .sending)
        #expect(proof.judge(bytesRead: begin + allowed + 1, at: hour) == .condemned)
    }

    @Test("heartbeats of days are no message, and no offence")
    func heartbeats() {
        var proof = MessageProof(at: 0)
        for second in Int64(0)...2 * 86_400 {
            _ = proof.judge(bytesRead: 200 * second, at: 1000 * second)
            _ = proof.judge(bytesRead: 200 * second, at: 1000 * second + 250)
        }
        #expect(!proof.isWatched)
    }

    @Test("nor are those of one that is watched, since the end of its last message was not seen")
    func watchedHeartbeats() {
        var proof = MessageProof(at: 0)
        let begin = 10 * limit
        _ = proof.judge(bytesRead: begin, at: 0)
        for second in Int64(1)...7200 {
            #expect(proof.judge(bytesRead: begin + 200 * second, at: 1000 * second) == .sending)
            #expect(!proof.hasSentWhileWatched)
        }
    }

    @Test("the largest message over a slow link takes minutes, and is no offence", arguments: [300, 1000, 10_000])
    func slowLink(bytesPerSecond: Int64) {
        var proof = MessageProof(at: 0)
        // Two frames of the largest size, with their headers.
        let message = 2 * allowed / 3 + 18
        var (sent, time): (Int64, Int64) = (0, 0)
        while sent < message {
            time += 250
            sent = min(message, bytesPerSecond * time / 1000)
            #expect(proof.judge(bytesRead: sent, at: time) != .condemned)
        }
        proof.finishMessage(bytesRead: sent, at: time)
        #expect(!proof.isWatched)
    }

    @Test("one that is silent since it is watched may have finished its messages; one that goes on sending has not")
    func sendsWhileWatched() {
        var proof = MessageProof(at: 0)
        let begin = 10 * limit
        #expect(!proof.hasSentWhileWatched)
        _ = proof.judge(bytesRead: begin, at: 0)
        #expect(!proof.hasSentWhileWatched)
        _ = proof.judge(bytesRead: begin + MessageProof.heartbeatBytes, at: 0)
        #expect(!proof.hasSentWhileWatched)
        _ = proof.judge(bytesRead: begin + MessageProof.heartbeatBytes + 1, at: 0)
        #expect(proof.hasSentWhileWatched)
        proof.finishMessage(bytesRead: begin + limit, at: 0)
        #expect(!proof.hasSentWhileWatched)
    }

    @Test("what came since the last proof is unproven, however slowly it came")
    func unproven() {
        var proof = MessageProof(at: 0)
        #expect(proof.unprovenBytes(of: limit) == limit)
        proof.finishMessage(bytesRead: limit, at: 0)
        #expect(proof.unprovenBytes(of: limit) == 0)
        for second in Int64(1)...3600 { _ = proof.judge(bytesRead: limit + 256 * second, at: 1000 * second) }
        #expect(!proof.isWatched)
        #expect(proof.unprovenBytes(of: limit + 256 * 3600) == 256 * 3600)
    }
}
