import CarillonCore
import CarillonFCM
import CarillonSession
import CarillonWebPush
import CarillonWire

/// Decides whether a request may run, by deadlines, permissions, the node of a cluster and rate limits (Protocol 6.2
/// and 15.1), and what the apps accept. A function that checks returns the error of its refusal; nil if there is none.
/// Used from every event loop.
final class RequestAdmission: Sendable {
    /// The apps that are served now.
    private let served: ServedApps
    /// The node that decides which requests may be answered; nil for a server on its own.
    private let node: (any ServingNode)?
    private let rateLimit = RequestRateLimit()

    init(served: ServedApps, node: (any ServingNode)?) {
        self.served = served
        self.node = node
    }

    /// Checks what every request needs, in this order: its deadline, its permission, the node of a cluster, and the
    /// rate limit. The node must be allowed to answer, and must have applied the position that the client has seen. A
    /// request that passes counts for the rate limit of its principal.
    ///
    /// - Parameter permissionRefusal: the refusal for lack of a permission; nil if the client has it.
    /// - Returns: why the request may not run; nil if it may.
    func check(_ context: RequestContext, permission permissionRefusal: RequestError?) -> RequestError? {
        let now = context.now.uptime
        if let deadline = context.head.deadline, now > deadline { return .deadlinePassed }
        if let permissionRefusal { return permissionRefusal }
        if let node {
            if !node.mayAct { return .behind }
            if node.position < context.head.position { return .positionNotReached }
        }
        guard let wait = rateLimit.takeRequest(of: context.principal, now: now) else { return nil }
        return RequestError(
            .rateLimited, retry: .after(milliseconds: wait),
            message: "the rate limit of \(context.principal.name) is reached")
    }

    /// Checks the roles of an operation: for its app, or for any app if it is about none. The items of a request about
    /// several apps are checked one by one when it runs.
    func roleRefusal(ofOperation operation: some Operation, for principal: Principal) -> RequestError? {
        guard let app = operation.namedApp else {
            let roles = type(of: operation).tableRow.roles
            if operation.concernsServer {
                guard principal.apps(as: roles) != nil else { return nil }
                return RequestError(.forbidden, message: "\(principal.name) lacks the role for every app")
            }
            guard !roles.isEmpty, principal.apps(as: roles)?.isEmpty == true else { return nil }
            return RequestError(.forbidden, message: "\(principal.name) has the role for no app")
        }
        let refusal = roleRefusal(of: principal, as: type(of: operation).tableRow.roles, on: app)
        return refusal ?? (operation.sendsMessage ? roleRefusal(of: principal, as: .send, on: app) : nil)
    }

    func roleRefusal(ofLongRead longRead: LongRead, for principal: Principal) -> RequestError? {
        switch longRead {
        case .registry(let request): return roleRefusal(of: principal, as: request.tableRow.roles, on: request.app)
        case .dryRun(let message): return roleRefusal(ofOperation: message, for: principal)
        case .statistics:
            // The answer names every app.
            guard principal.apps(as: [.admin, .observe]) != nil else { return nil }
            return RequestError(.forbidden, message: "\(principal.name) neither administers nor observes every app")
        }
    }

    func roleRefusal(ofSubscription subscription: SubscribeEventsRequest, for principal: Principal) -> RequestError? {
        for (index, app) in subscription.apps.enumerated() {
            guard var refusal = roleRefusal(of: principal, as: .observe, on: app) else { continue }
            refusal.field = "apps"
            refusal.item = UInt32(index)
            return refusal
        }
        return nil
    }

    /// Checks that the client has one of the roles for the app, and that the app is served.
    func roleRefusal(of principal: Principal, as roles: Roles, on app: AppID) -> RequestError? {
        guard principal.mayUse(app, as: roles) else {
            return RequestError(.forbidden, message: "\(principal.name) lacks the role for \(app)", field: "app")
        }
        guard served.contains(app) else {
            return RequestError(.notFound, message: "the app \(app) is not served here", field: "app")
        }
        return nil
    }

    // MARK: Registrations

    /// Checks that the app has a credential for the provider of a device to register.
    func providerRefusal(of registration: Registration) -> RequestError? {
        let kind = registration.address.kind
        guard served.acceptsDevices(of: kind.provider, for: registration.app) else {
            return RequestError(
                .invalidArgument,
                message: "the app \(registration.app) has no credential for the provider \(kind.provider.name) here",
                field: "kind")
        }
        return kind == .web ? subscriptionRefusal(of: registration) : nil
    }

    /// Checks the push subscription of a browser: the server sends requests to its endpoint.
    private func subscriptionRefusal(of registration: Registration) -> RequestError? {
        guard let subscription = registration.subscription, let endpoint = subscription.address else {
            return RequestError(.invalidArgument, message: "a browser needs its subscription", field: "subscription")
        }
        guard registration.address.token.bytes == subscription.token else {
            return RequestError(
                .invalidArgument, message: "the token is not the SHA-256 of the subscription's endpoint",
                field: "token")
        }
        guard subscription.hasPointOfCurve else {
            return RequestError(
                .invalidArgument, message: "the subscription's p256dh is not a point of P-256", field: "subscription")
        }
        guard served.allowsMessages(to: endpoint) else {
            return RequestError(
                .invalidArgument,
                message: "\(endpoint.authority) is not a push service of a browser, and not in webPush.hosts",
                field: "subscription")
        }
        return nil
    }

    // MARK: Messages

    /// Returns the refusal of a message whose push type no credential of the app can send, or that a provider of the
    /// app would refuse; nil if the message can be sent.
    func contentRefusal(of content: MessageContent) -> RequestError? {
        guard served.canPush(content.pushType, for: content.app) else { return pushTypeRefusal(of: content) }
        do throws(MessageError) {
            // The content for one provider must be valid, even if the app has no credential for that provider yet.
            if content.android != nil || served.acceptsDevices(of: .fcm, for: content.app),
                content.pushType.reaches(.fcm)
            {
                try FCMRules.check(content)
            }
            if content.web != nil || served.acceptsDevices(of: .web, for: content.app),
                content.pushType.reaches(.web)
            {
                do throws(MessageError) { try BrowserMessage.check(content) } catch {
                    // A push without a text, for example of a badge, is for phones: browsers end as `bad-request`.
                    guard content.web == nil, error.field == BrowserMessage.titleField else { throw error }
                }
            }
            return nil
        } catch {
            return RequestError(error, of: content)
        }
    }

    /// Makes the refusal of a push type that no credential of the app can send.
    private func pushTypeRefusal(of content: MessageContent) -> RequestError {
        RequestError(
            .invalidArgument,
            message: content.pushType.needsProviderToken
                ? "\(content.pushType.name) needs a key: the app has certificates only"
                : "no certificate of the app is for \(content.pushType.name)",
            field: "push_type")
    }
}
