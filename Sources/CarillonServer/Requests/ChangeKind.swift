import CarillonCore
import CarillonWire

/// What a client has asked that is one change and sends nothing: what of it is needed to answer it.
enum ChangeKind: Sendable {
    case register(changesAudiences: Bool)
    case unregister
    case update
    case restore
    case join
    case leave
    case subscribe
    case unsubscribe
    case mute

    /// - Parameter change: one that is all that its request asks for.
    init(_ change: Change) {
        switch change {
        case .register(let it, _): self = .register(changesAudiences: it.changesAudiences)
        case .unregister: self = .unregister
        case .update: self = .update
        case .restore: self = .restore
        case .join: self = .join
        case .leave: self = .leave
        case .subscribe: self = .subscribe
        case .unsubscribe: self = .unsubscribe
        case .mute: self = .mute
        case .accept, .record, .updateMessage, .resend, .release, .count, .note, .acknowledge, .finish:
            preconditionFailure("no request is this change alone")
        }
    }

    /// That of the request.
    var opcode: Opcode {
        switch self {
        case .register: .register
        case .unregister: .unregister
        case .update: .updateDevice
        case .restore: .restore
        case .join: .join
        case .leave: .leave
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .mute: .updateGroup
        }
    }

    /// What became of it, in the words of its request.
    func response(_ result: Result<ChangeAnswer, RegistryError>) -> Result<Response, ErrorReply> {
        switch result {
        case .success(.refused(let refusal)): .failure(naming(RequestRunner.reply(refusal)))
        case .success(let answer): response(answer).map(Result.success) ?? .failure(RequestRunner.bug)
        case .failure(let error): .failure(RequestRunner.reply(error))
        }
    }

    /// Nil if it cannot be the answer to that.
    private func response(_ answer: ChangeAnswer) -> Response? {
        switch (self, answer) {
        case (.register, .registered(let id, let result, _)): .registered(id, result)
        case (.unregister, .unregistered(let id)): .unregistered(id)
        case (.update, .updated(let id)): .updated(id)
        case (.restore, .updated(let id)): .restored(id)
        case (.join, .membership(let answer)): .joined(Joined(answer))
        case (.leave, .membership(let answer)): .left(MembershipChange(answer))
        case (.subscribe, .membership(let answer)): .subscribed(MembershipChange(answer))
        case (.unsubscribe, .membership(let answer)): .unsubscribed(MembershipChange(answer))
        case (.mute, .muted(let devices, _)): .groupUpdated(devices: devices)
        default: nil
        }
    }

    /// An error under the name that the request has for the field at fault.
    private func naming(_ error: ErrorReply) -> ErrorReply {
        guard case .join = self, error.field == "groups" else { return error }
        var error = error
        error.field = "group"
        return error
    }
}

extension Registration {
    /// Whether a device that was known before may be in other audiences after it.
    var changesAudiences: Bool { locale != nil || !attributes.isEmpty || !groups.isEmpty }
}
