import CarillonCore
import CarillonHTTP2Server

/// The three services of the simulator.
enum Service: String, Decodable, CaseIterable, Sendable {
    /// Google's OAuth 2 token endpoint.
    case oauth
    case fcm
    case web

    /// The prefix of the paths of `web`, before the name of a browser.
    static let pathOfBrowsers = "/push/"

    init(path: String) {
        self = path == "/token" ? .oauth : path.hasPrefix(Self.pathOfBrowsers) ? .web : .fcm
    }
}
