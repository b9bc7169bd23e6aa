import CarillonCore
import CarillonWire

/// The state of the client's end of a connection: its phase, what the handshake has told it of the server, and whether
/// it begins more requests.
struct ClientSessionState {
    /// The state of the connection (Protocol 5).
    enum Phase: Hashable {
        /// Bytes of the server's preface are expected. Leads to `hello` or `closed`.
        case preface
        /// The answer to HELLO is expected. Leads to `auth`, `open` or `closed`.
        case hello
        /// The answer to AUTH is expected. Leads to `open` or `closed`.
        case auth
        /// Requests may be sent. Leads to `closed`.
        case open
        /// The last phase.
        case closed
    }

    private(set) var phase = Phase.preface
    /// True if the server speaks no version of the client's; an error frame follows that says why (Protocol 2).
    private(set) var isVersionRefused = false
    /// The server's answer to HELLO; nil until it has come.
    private(set) var helloAnswer: HelloAnswer?
    /// The client's name and grants by its key; nil until AUTH is answered, and if the client has a certificate.
    private(set) var authenticateAnswer: AuthenticateAnswer?
    /// True if the server takes no more requests.
    private(set) var isGoingAway = false
    /// True if the caller makes no more requests.
    private(set) var isFinishing = false
    /// True if the server has answered or refused a request, sent an event or answered a ping since the handshake.
    private(set) var hasWorked = false

    /// True if the state allows a request now. The window of requests is not checked.
    var takesRequests: Bool { phase == .open && !isEnding }

    /// True if no more requests are begun: the session ends when all are answered.
    var isEnding: Bool { isGoingAway || isFinishing }

    /// Called when the server's preface is read: the answer to HELLO comes next.
    mutating func prefaceAccepted(isVersionRefused: Bool) {
        self.isVersionRefused = isVersionRefused
        phase = .hello
    }

    /// Takes the answer to HELLO, and opens the session if the client is known.
    mutating func helloAnswered(_ answer: HelloAnswer) {
        helloAnswer = answer
        if answer.isAuthenticated { phase = .open }
    }

    /// Called when AUTH is sent: its answer comes next.
    mutating func keySent() { phase = .auth }

    /// Takes the answer to AUTH, and opens the session.
    mutating func authenticated(as answer: AuthenticateAnswer) {
        authenticateAnswer = answer
        phase = .open
    }

    /// Called when the server has done something for an open session.
    mutating func serverWorked() { hasWorked = true }

    mutating func drainingBegan() { isGoingAway = true }

    /// Called when the caller wants to close: no more requests are sent, and the session ends when all are answered.
    mutating func closingRequested() { isFinishing = true }

    mutating func close() { phase = .closed }
}
