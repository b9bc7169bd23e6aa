import CarillonCore
import CarillonWire

/// The errors of the server (Protocol 15).
extension RequestError {
    /// The error of a request whose deadline had passed before it was begun: nothing was done.
    static let deadlinePassed = RequestError(
        .deadline, retry: .after(milliseconds: 0), message: "the deadline passed before the request began")
    /// The error of a request that waited while the API key or certificate of its session was removed or replaced.
    /// Nothing was done, and the client may try again with a good credential.
    static let credentialWithdrawn = RequestError(
        .draining, retry: .after(milliseconds: 0), message: "the API key or certificate is not good any more")
    /// The error of a message that was accepted, and whose audience was not counted, for any reason.
    ///
    /// - Parameter cause: the error of the count. Its code is kept only if it tells the state of the server: codes such
    ///   as OVERLOADED would say that nothing was done (Protocol 15).
    static func uncounted(_ cause: RequestError) -> RequestError {
        let isServerStopping = cause.code == .draining || cause.code == .storageFailed
        return RequestError(
            isServerStopping ? cause.code : .internal, effect: .unknown, retry: cause.retry,
            message: "the message was accepted, and its audience was not counted")
    }
    /// The error of a node of a cluster that may be behind the others, or has no lease: it answers nothing.
    static let behind = RequestError(
        .behind, retry: .after(milliseconds: 500), message: "this node of the cluster may be behind the others")
    /// The error of a node of a cluster that has not applied what the client has seen elsewhere.
    static let positionNotReached = RequestError(
        .behind, retry: .after(milliseconds: 500),
        message: "this node of the cluster has not reached the position that the client has seen")
    /// The error of a node that has not joined its cluster yet: it takes no connections.
    static let notJoined = RequestError(
        .behind, scope: .connection, retry: .after(milliseconds: 500),
        message: "this node has not joined its cluster yet")
    /// The error of an answer of the registry that does not fit the request: a fault of the server.
    static let unexpectedAnswer = RequestError(
        .internal, effect: .unknown, retry: .after(milliseconds: 1_000), message: "the server made a mistake")

    init(_ refusal: ChangeAnswer.Refusal) {
        switch refusal {
        case .stale: self.init(.stale, message: "something newer is stored for this token")
        case .notFound: self = .noDevice
        case .idempotencyConflict:
            self.init(.idempotencyConflict, message: "this key was used with another body", field: "key")
        case .tooMany(.attributes): self = Self.tooMany("attributes", of: "a device", limit: Attributes.maximumCount)
        case .tooMany(.groups): self = Self.tooMany("groups", of: "a device", limit: MembershipLimits.groupsPerDevice)
        case .tooMany(.topics):
            self = Self.tooMany("topics", of: "a device or a group", limit: MembershipLimits.topicsPerSubscriber)
        case .tooMany(.topicsOfDevices):
            self = Self.tooManyAtOnce("devices", message: "the groups have many topics: name fewer devices or groups")
        case .tooMany(.topicsOfGroups):
            self = Self.tooManyAtOnce("groups", message: "the groups have many devices: name fewer groups or topics")
        case .tooMany(.subscribers):
            self.init(
                .invalidArgument, message: "too many names subscribe to events", field: "name",
                limit: UInt64(RegistryLimits.eventSubscribers))
        case .tooMany(.ownSubscribers):
            self.init(
                .invalidArgument, message: "too many names of this principal subscribe to events", field: "name",
                limit: UInt64(RegistryLimits.eventSubscribersPerPrincipal))
        case .unfinished:
            self.init(.invalidArgument, message: "the message has not finished yet", field: "message_id")
        case .outOfTime:
            self.init(
                .invalidArgument, message: "the time after which no attempt starts is past: name a later one",
                field: "not_after")
        }
    }

    private static func tooMany(_ field: String, of owner: String, limit: Int) -> RequestError {
        RequestError(
            .invalidArgument, message: "\(owner) has at most \(limit) \(field)", field: field, limit: UInt64(limit))
    }

    private static func tooManyAtOnce(_ field: String, message: String) -> RequestError {
        RequestError(
            .invalidArgument, message: message, field: field, limit: UInt64(MembershipLimits.topicChanges))
    }

    init(_ error: RegistryError) {
        switch error {
        case .overloaded:
            self.init(.overloaded, retry: .after(milliseconds: 100), message: error.description)
        case .deadline: self = .deadlinePassed
        case .storageFull:
            self.init(.storageFull, retry: .after(milliseconds: 60_000), message: error.description)
        case .storageFailed:
            self.init(
                .storageFailed, effect: .unknown, retry: .after(milliseconds: 10_000),
                message: "the disk failed; the server stops")
        case .logUnavailable:
            self.init(.overloaded, retry: .after(milliseconds: 500), message: error.description)
        case .effectUnknown:
            self.init(
                .internal, effect: .unknown, retry: .after(milliseconds: 500), message: error.description)
        case .corrupted, .inUse, .refused:
            self.init(
                .internal, effect: .unknown, retry: .after(milliseconds: 60_000), message: error.description)
        case .closed:
            self.init(.draining, retry: .after(milliseconds: 0), message: "the server is stopping")
        }
    }
}

extension RequestError {
    /// Makes the error of a content that a provider would refuse (Protocol 10.1).
    init(_ fault: MessageError, of content: MessageContent) {
        let parts = fault.field.split(separator: ".", maxSplits: 2).map(String.init)
        // A request to a provider is made of the payload, and its fields have other names than the fields of SEND.
        let field = parts.first.flatMap { Self.contentFields.contains($0) ? $0 : nil } ?? "payload"
        var item: UInt32?
        if field == "bodies", parts.count > 1 {
            // The fault names a body by its language.
            item = content.bodies.firstIndex { $0.language == parts[1] }.map { UInt32(truncatingIfNeeded: $0) }
        }
        self.init(
            fault.limit == nil ? .invalidArgument : .tooLarge, message: "\(fault.field): \(fault.text)", field: field,
            limit: fault.limit.map { UInt64($0) }, item: item)
    }

    /// The fields of a SEND that make the content for a provider.
    private static let contentFields = ["payload", "bodies", "android", "android_raw", "web", "web_raw", "push_type"]
}
