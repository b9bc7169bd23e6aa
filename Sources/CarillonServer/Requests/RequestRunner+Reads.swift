import CarillonCore
import CarillonWire
import NIOPosix

extension Request {
    /// Whether it asks for many rows, which a thread reads that may take its time.
    var isListing: Bool {
        switch self {
        case .memberships, .groupDevices, .groups, .groupTopics, .topics, .topicDevices, .explain, .messageOutcomes,
            .quarantine, .messages, .receiptDevices, .devices, .statistics:
            true
        case .send(let message): message.isDryRun
        default: false
        }
    }
}

/// What is only read.
extension RequestRunner {
    /// Many rows: answered from a thread that may take its time.
    func browse(_ request: Request, _ work: Work) {
        readers.submit { [self] state in
            guard case .active = state else { return work.answer(.failure(Self.reply(.closed))) }
            read(request, work.answer)
        }
    }

    private func read(_ request: Request, _ answer: Answer) {
        do throws(RegistryError) {
            guard let response = try response(to: request) else {
                return answer(.failure(request.opcode == .memberships ? Self.noDevice : Self.noMessage))
            }
            answer(.success(response))
        } catch {
            answer(.failure(Self.reply(error)))
        }
    }

    private func response(to request: Request) throws(RegistryError) -> Response? {
        switch request {
        case .memberships(let it):
            return try registry.memberships(of: it.device, app: it.app, after: it.after, limit: Int(it.limit))
                .map(Response.memberships)
        case .groupDevices(let it):
            return .groupDevices(
                try registry.devices(in: .group(it.group), of: it.app, cursor: it.cursor, limit: Int(it.limit)))
        case .topicDevices(let it):
            return .topicDevices(
                try registry.devices(in: .topic(it.topic), of: it.app, cursor: it.cursor, limit: Int(it.limit)))
        case .groups(let it):
            return .groups(
                try registry.groups(of: it.app, prefix: it.prefix, after: it.after, limit: Int(it.limit)))
        case .topics(let it):
            return .topics(
                try registry.topics(of: it.app, prefix: it.prefix, after: it.after, limit: Int(it.limit)))
        case .groupTopics(let it):
            let page = try registry.topics(of: it.group, app: it.app, after: it.after, limit: Int(it.limit))
            return .groupTopics(TopicPage(next: page.next, topics: page.rows.compactMap { TopicName($0.name) }))
        case .explain(let it):
            return .explained(try registry.explain(it.condition, app: it.app))
        case .send(let message):
            return .accepted(try registry.dryRun(message))
        case .messages(let it):
            let before = it.before == 0 ? nil : MessageID(rawValue: it.before)
            let rows = try registry.messages(of: it.app, before: before, limit: Int(it.limit))
            return .messages(
                MessagePage(next: rows.count < Int(it.limit) ? 0 : rows.last?.id.rawValue ?? 0, messages: rows))
        case .quarantine(let it):
            return .quarantine(try registry.quarantine(of: it.app, cursor: it.cursor, limit: Int(it.limit)))
        case .devices(let it):
            return .devices(try registry.devices(of: it.app, cursor: it.cursor, limit: Int(it.limit)))
        case .receiptDevices(let it):
            return try registry.receipts(
                of: it.id, app: it.app, kind: it.kind, cursor: it.cursor, limit: Int(it.limit)
            ).map(Response.receiptDevices)
        case .messageOutcomes(let it):
            return try registry.outcomes(of: it.id, app: it.app, cursor: it.cursor, limit: Int(it.limit))
                .map(Response.outcomes)
        default:
            return nil
        }
    }
}
