import CarillonCore
import CarillonWire

/// The errors of the server (Protocol 9).
extension ErrorReply {
    static let late = ErrorReply(
        .deadline, retry: .after(milliseconds: 0), message: "the deadline passed before the request began")
    static let notExecuted = ErrorReply(
        .draining, retry: .after(milliseconds: 0), message: "the credential is not good any more")
    /// A node of a cluster may be behind the others, or has no lease: it answers nothing.
    static let behind = ErrorReply(
        .overloaded, retry: .after(milliseconds: 500), message: "this node of the cluster may be behind the others")
    /// The registry's answer is none to the request: a fault of the server.
    static let bug = ErrorReply(
        .internal, effect: .unknown, retry: .after(milliseconds: 1_000), message: "the server made a mistake")

    /// Makes the error of a change that the registry has refused.
    init(_ refusal: ChangeAnswer.Refusal) {
        switch refusal {
        case .stale: self.init(.stale, message: "something newer is stored for this token")
        case .notFound: self = .noDevice
        case .idempotencyConflict:
            self.init(.idempotencyConflict, message: "this key was used with another body", field: "key")
        case .tooMany(.attributes): self = Self.tooMany("attributes", of: "a device", Attributes.maximumCount)
        case .tooMany(.groups): self = Self.tooMany("groups", of: "a device", MembershipLimits.groups)
        case .tooMany(.topics): self = Self.tooMany("topics", of: "a device or a group", MembershipLimits.topics)
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

    private static func tooMany(_ field: String, of owner: String, _ limit: Int) -> ErrorReply {
        ErrorReply(
            .invalidArgument, message: "\(owner) has at most \(limit) \(field)", field: field, limit: UInt64(limit))
    }

    /// Makes the error of a failure of the registry.
    init(_ error: RegistryError) {
        switch error {
        case .overloaded:
            self.init(.overloaded, retry: .after(milliseconds: 100), message: error.description)
        case .deadline: self = .late
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
