import PopupClient
import Testing

@Suite("The environment of a client")
struct EnvironmentTests {
    @Test("warns of a variable that is nearly one of a client, and of no other of the broker")
    func misspelt() {
        let environment = [
            "POPUP_BROKER_INGRES": "tcp://broker:5570", "POPUP_BROKER_EGRESS": "tcp://broker:5571",
            "POPUP_BROKER_GRESS": "tcp://broker:5571", "POPUP_BROKER_KYE": "a.key",
            "POPUP_BROKER_CONFIG": "broker.yaml", "POPUP_BROKER_LIMITS_GROUPS": "9",
            "POPUP_GROUP": "lobby", "HOME": "/root",
        ]
        #expect(
            BrokerEndpoints.warnings(about: environment) == [
                "the environment variable POPUP_BROKER_GRESS is not known; did you mean `POPUP_BROKER_EGRESS`?",
                "the environment variable POPUP_BROKER_INGRES is not known; did you mean `POPUP_BROKER_INGRESS`?",
                "the environment variable POPUP_BROKER_KYE is not known; did you mean `POPUP_BROKER_KEY`?",
            ])
    }
}
