import Testing

@testable import ZeroMQTransport

@Suite("Whether a connection finishes its messages")
struct MessageProofTests {
    private let limit = MessageProof.suspicionBytes
    private let allowed = MessageProof.allowedBytes

    @Test("it is watched only when many bytes came since the last proof")
    func suspicion() {
        var proof = MessageProof(at: 0)
        #expect(proof.judge(bytesRead: limit, at: 0) == .calm)
        #expect(!proof.isWatched)
        #expect(proof.judge(bytesRead: limit + 1, at: 0) == .calm)
        #expect(proof.isWatched)
        #expect(proof.judge(bytesRead: limit + 2, at: 0) == .sending)
    }

    @Test("a whole message is the proof: what came before counts no more")
    func proof() {
        var proof = MessageProof(at: 0)
        _ = proof.judge(bytesRead: 10 * allowed, at: 0)
        proof.finishMessage(bytesRead: 10 * allowed, at: 0)
        #expect(!proof.isWatched)
        #expect(proof.judge(bytesRead: 10 * allowed + limit, at: 0) == .calm)
    }

    @Test("what it sent before it was watched may have been messages: it is condemned only for what comes after")
    func condemned() {
        var proof = MessageProof(at: 0)
        #expect(proof.judge(bytesRead: 100 * allowed, at: 0) == .calm)
        #expect(proof.judge(bytesRead: 101 * allowed, at: 0) == .sending)
        #expect(proof.judge(bytesRead: 101 * allowed + 1, at: 0) == .condemned)
    }

    @Test("one that has sent much and is silent now is not condemned, however long")
    func silent() {
        var proof = MessageProof(at: 0)
        #expect(proof.judge(bytesRead: 100 * allowed, at: 0) == .calm)
        for hour in 1...1000 {
            #expect(proof.judge(bytesRead: 100 * allowed, at: Int64(hour) * 3_600_000) == .calm)
        }
    }

    @Test("heartbeats of days are no message, and no offence")
    func heartbeats() {
        var proof = MessageProof(at: 0)
        // 200 bytes a second, looked at each quarter of a second for thirty days' worth of hours.
        for second in stride(from: Int64(0), through: 30 * 86_400, by: 3600) {
            #expect(proof.judge(bytesRead: 200 * second, at: 1000 * second) == .calm)
        }
        #expect(!proof.isWatched)
    }

    @Test("one that is silent since it is watched may have finished its messages; one that goes on sending has not")
    func sendsWhileWatched() {
        var proof = MessageProof(at: 0)
        #expect(!proof.hasSentWhileWatched(limit))
        _ = proof.judge(bytesRead: 10 * limit, at: 0)
        #expect(!proof.hasSentWhileWatched(10 * limit))
        #expect(proof.hasSentWhileWatched(10 * limit + 1))
        proof.finishMessage(bytesRead: 10 * limit + 1, at: 0)
        #expect(!proof.hasSentWhileWatched(11 * limit))
    }

    @Test("what came since the last proof is unproven")
    func unproven() {
        var proof = MessageProof(at: 0)
        #expect(proof.unprovenBytes(of: limit) == limit)
        proof.finishMessage(bytesRead: limit, at: 0)
        #expect(proof.unprovenBytes(of: limit) == 0)
    }
}
