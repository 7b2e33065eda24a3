import ArgumentParser
import PopupClient

/// The name of a renderer as an argument.
struct ClientArgument: ExpressibleByArgument, Equatable {
    let token: ClientToken

    init?(argument: String) {
        guard let token = ClientToken(argument) else { return nil }
        self.token = token
    }
}
