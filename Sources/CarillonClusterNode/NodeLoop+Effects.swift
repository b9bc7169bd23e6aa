import CarillonCluster
import CarillonCore
import CarillonRegistry

extension NodeLoop {
    /// Does what the node says.
    func carryOut(_ effect: ClusterNode.Effect) {
        switch effect {
        case .join, .append, .expire, .settle, .read, .awaitNews, .renew, .trim: call(effect)
        case .apply(let application): apply(application)
        case .finish(let id, let end): messages.append(.finish(id, end))
        case .acknowledge(let position): messages.append(.acknowledge(position))
        // No reads are given to the node: they are answered while it may act.
        case .endRead: break
        case .beginWork(let membership):
            messages.append(.joined(membership))
            handlers.workBegan(membership.member)
        case .endWork(let member): handlers.workEnded(member)
        case .makeSnapshot: makeSnapshot()
        case .loadSnapshot(let snapshot): load(snapshot)
        case .stop(let reason):
            end()
            handlers.stopped(reason)
        }
    }

    /// Calls the log.
    private func call(_ effect: ClusterNode.Effect) {
        let (entries, control) = (times.entries, times.control)
        switch effect {
        case .join(let joining):
            log.join(joining, within: control) { [weak self] result in self?.event { $0.joinEnded(result, at: $1) } }
        case .append(let entry):
            log.append(entry, within: entries) { [weak self] result in self?.event { $0.appendEnded(result, at: $1) } }
        case .expire(let entry, let silence):
            log.expire(entry, silence: silence, within: entries) { [weak self] result in
                self?.event { $0.appendEnded(result, at: $1) }
            }
        case .settle(let id):
            log.settle(id, within: entries) { [weak self] result in self?.event { $0.settleEnded(result, at: $1) } }
        case .read(let position):
            log.read(after: position, limit: ReadLimit(), within: entries) { [weak self] result in
                self?.event { $0.readEnded(result, at: $1) }
            }
        case .awaitNews(let position):
            log.awaitNews(after: position, within: settings.newsTime) { [weak self] result in
                self?.event { $0.newsEnded(result, at: $1) }
            }
        case .renew(let progress):
            log.renew(progress, within: control) { [weak self] result in
                self?.event { $0.renewEnded(result, at: $1) }
            }
        case .trim(let trim):
            log.trim(through: trim.entries, snapshotsBefore: trim.snapshotsBefore, within: times.bulk) {
                [weak self] _ in self?.event { $0.trimEnded(at: $1) }
            }
        default: break
        }
    }

    /// Hands entries to the writer, unless the log begins with other parameters than this empty replica has.
    private func apply(_ application: ClusterNode.Application) {
        let origin = application.entries.lazy.compactMap { entry -> LogOrigin? in
            if case .began(let origin) = entry.content { origin } else { nil }
        }.first
        let own = registry.originParameters
        guard node.replica.origin == nil, let origin, origin.parameters.prefix(own.count) != own[...] else {
            return messages.append(.apply(application))
        }
        beginAgain(with: Array(origin.parameters.prefix(own.count)))
    }
}
