import CarillonClock
import CarillonCore
import CarillonGateway
import CarillonTLS
import Logging
import NIOCore
import NIOHTTP1

/// The console: the pages, the log-in, and the calls of the pages.
///
/// A page can do only what the key of its user allows: each request goes to a session of the server with that key.
/// What the protocol does not have (samples, the content of a message, the settings) a page gets only after a request
/// with that key that needs the same rights.
// Safety: every use is on the loop of the port. The task that takes samples changes to it.
final class ConsoleService: HTTPService, @unchecked Sendable {
    let requests: RequestService
    let server: any HTTPBackend
    private let pages: ConsolePages
    private let originRule: OriginRule
    private let isSecure: Bool
    private let logger: Logger
    private var sessions = SessionTable()
    private(set) var history = ConsoleHistory()
    private(set) var credentialUses = CredentialUses()
    /// The latest sample; nil before the first.
    private(set) var latest: ConsoleSample?
    private var sampler: RepeatedTask?

    let commonHeaders: HTTPHeaders

    /// Makes the console of one port, without sessions.
    ///
    /// - Parameters:
    ///   - names: the names by which browsers reach the console.
    ///   - isSecure: true if the port speaks TLS.
    init(_ requests: RequestService, server: any HTTPBackend, names: [String], isSecure: Bool, logger: Logger) {
        self.requests = requests
        self.server = server
        self.isSecure = isSecure
        self.logger = logger
        originRule = OriginRule(names: Set(names.map { $0.lowercased() }))
        pages = ConsolePages()
        commonHeaders = Self.securityHeaders(isSecure: isSecure)
    }

    /// Returns the fields of every answer. Pages load nothing from elsewhere, run no script but their own, and stand in
    /// no frame.
    private static func securityHeaders(isSecure: Bool) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "content-security-policy":
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
                + "trusted-types 'none'",
            "x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
            "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()", "server": "carillond",
        ]
        if isSecure { headers.add(name: "strict-transport-security", value: "max-age=31536000") }
        return headers
    }

    /// Begins taking samples for the charts, one each `ConsoleHistory.intervalMilliseconds`.
    func start(on loop: any EventLoop) {
        let interval = TimeAmount.milliseconds(ConsoleHistory.intervalMilliseconds)
        sampler = loop.scheduleRepeatedTask(initialDelay: .zero, delay: interval) { [self] _ in
            for id in sessions.removeExpired(at: Clock.uptime()) { requests.connectionPool.close(Self.owner(id)) }
            server.sample { sample in
                guard let sample else { return }
                loop.execute { self.add(sample) }
            }
        }
    }

    private func add(_ sample: ConsoleSample) {
        history.add(sample)
        credentialUses.add(sample.statistics)
        latest = sample
    }

    func stop() { sampler?.cancel() }

    // MARK: Heads

    /// Judges a request by its head, before its body is read: host, origin, method, type and log-in. Returns the answer
    /// if the request is refused.
    func refusal(of head: HTTPRequest) -> HTTPResponse? {
        let isAPI = head.path.hasPrefix("/api/")
        switch originRule.refusal(
            host: head.onlyValue(of: "host"), site: head.onlyValue(of: "sec-fetch-site"),
            origin: head.onlyValue(of: "origin"), isChange: isAPI)
        {
        case .otherHost:
            return .refusal(
                GatewayError(
                    "MISDIRECTED", status: 421, message: "the console has another name: see the setting console.names"))
        case .otherSite: return .refusal(GatewayError(.forbidden, message: "the request comes from another site"))
        case nil: break
        }
        guard isAPI else {
            guard head.method == .GET || head.method == .HEAD else { return .methodNotAllowed("GET, HEAD") }
            return pages.exists(head.path) ? nil : .text("there is no such page", status: .notFound)
        }
        guard head.method == .POST else { return .methodNotAllowed("POST") }
        guard head.isJSON else { return .refusal(GatewayError.unsupportedMediaType) }
        guard head.path == "/api/login" || session(of: head) != nil else { return .refusal(Self.loggedOut) }
        return nil
    }

    private static let loggedOut = GatewayError.authenticationFailed("log in first")

    /// Returns the cookie's name. With TLS the prefix makes browsers refuse it from any other host or path. Browsers
    /// share cookies among the ports of a host, so without TLS the name has the port.
    private func cookieName(_ head: HTTPRequest) -> String {
        if isSecure { return "__Host-carillon" }
        return "carillon-" + (head.onlyValue(of: "host")?.split(separator: ":").last.map(String.init) ?? "")
    }

    private func session(of head: HTTPRequest) -> (id: String, session: SessionTable.Session)? {
        let prefix = cookieName(head) + "="
        let values = head.headers["cookie"].flatMap { $0.split(separator: ";") }
            .compactMap { $0.trimmed.removing(prefix: prefix) }
        // Two cookies of that name: another host of the domain has planted one.
        guard values.count == 1 else { return nil }
        let id = String(values[0])
        let keepsAlive = head.onlyValue(of: "x-carillon-poll") == nil
        return sessions.find(id, at: Clock.uptime(), keepsAlive: keepsAlive).map { (id, $0) }
    }

    // MARK: Requests

    /// Answers a request whose head was not refused: a page, the log-in, or a call of a page.
    func answer(to request: HTTPRequest, on loop: any EventLoop) -> EventLoopFuture<HTTPResponse> {
        if !request.path.hasPrefix("/api/") { return loop.makeSucceededFuture(pages.answer(to: request)) }
        if request.path == "/api/login" { return logIn(request, on: loop) }
        guard let (id, session) = session(of: request) else {
            return loop.makeSucceededFuture(.refusal(Self.loggedOut))
        }
        if request.path == "/api/logout" { return loop.makeSucceededFuture(logOut(id, for: request)) }
        return connection(of: id, session: session, for: request, on: loop)
            .flatMap { [self] connection in
                let caller = ConsoleCaller(
                    principal: session.principal, clientAddress: request.clientAddress, connection: connection,
                    loop: loop)
                return route(request, for: caller)
            }
            .flatMapError { loop.makeSucceededFuture(.refusal($0)) }
    }

    private static func owner(_ session: String) -> String { "console \(session)" }

    /// Returns the connection of a session. If the key is no longer good, the session ends.
    private func connection(
        of id: String, session: SessionTable.Session, for request: HTTPRequest, on loop: any EventLoop
    ) -> EventLoopFuture<InProcessConnection> {
        let connection = requests.connectionPool.connection(
            of: Self.owner(id), key: session.key, clientAddress: "console \(request.clientAddress)")
        connection.whenComplete { [self] result in
            switch result {
            case .success(let connection):
                sessions.change(id, principalJSON: connection.principalJSON)
                connection.onWithdrawal = { [weak self] in self?.end(id, because: "its key was withdrawn") }
            case .failure(let error as GatewayError) where error.code == ErrorCode.authenticationFailed.name:
                end(id, because: "its key was withdrawn")
            case .failure: break
            }
        }
        return connection
    }

    private func end(_ id: String, because reason: String) {
        guard let session = sessions.end(id) else { return }
        requests.connectionPool.close(Self.owner(id))
        logger.info(
            "a session of the console has ended",
            metadata: ["principal": "\(session.principal)", "reason": "\(reason)"])
    }

    private func logIn(_ request: HTTPRequest, on loop: any EventLoop) -> EventLoopFuture<HTTPResponse> {
        // Why try?: without a key, or a random id, there is no session.
        guard let key = (try? Gateway.parse(request.body))?["key"]?.text?.trimmed, let bytes = try? randomBytes(24)
        else {
            return loop.makeSucceededFuture(
                .refusal(GatewayError(.invalidArgument, message: "key is missing", field: "key")))
        }
        let id = Hex.string(bytes)
        return requests.logIn(
            Self.owner(id), key: Array(key.utf8), clientAddress: request.clientAddress, via: "console", on: loop
        )
        .map { [self] connection in
            // Why try?: only the log and the overview show the name.
            let principal = (try? LocatedJSONParser.parse(connection.principalJSON))?["principal"]?.text ?? ""
            let now = Clock.uptime()
            let session = SessionTable.Session(
                key: Array(key.utf8), principal: principal, principalJSON: connection.principalJSON, beganAt: now,
                usedAt: now
            )
            for ended in sessions.begin(session, id: id) { requests.connectionPool.close(Self.owner(ended)) }
            connection.onWithdrawal = { [weak self] in self?.end(id, because: "its key was withdrawn") }
            logger.info(
                "a session of the console has begun",
                metadata: ["principal": "\(principal)", "client": "\(request.clientAddress)"])
            var answer = HTTPResponse.json(connection.principalJSON)
            answer.headers.add(name: "set-cookie", value: cookie(id, for: request))
            return answer
        }
        .flatMapError { loop.makeSucceededFuture(.refusal($0)) }
    }

    private func cookie(_ value: String, for request: HTTPRequest) -> String {
        "\(cookieName(request))=\(value); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    private func logOut(_ id: String, for request: HTTPRequest) -> HTTPResponse {
        end(id, because: "logged out")
        var answer = HTTPResponse.json(Array("{}".utf8))
        answer.headers.add(name: "set-cookie", value: cookie("", for: request) + "; Max-Age=0")
        return answer
    }

    /// Logs a request that changes the state, with its result.
    func log(_ prepared: Gateway.PreparedRequest, of caller: ConsoleCaller, result: Result<[UInt8], any Error>) {
        guard !prepared.isReadOnly else { return }
        let code =
            switch result {
            case .success: "ok"
            case .failure(let error): (error as? GatewayError)?.code ?? "INTERNAL"
            }
        logger.info(
            "console",
            metadata: [
                "principal": "\(caller.principal)", "client": "\(caller.clientAddress)",
                "operation": "\(prepared.name)",
                "app": "\(prepared.app ?? "")", "result": "\(code)",
            ])
    }
}
