import CarillonClock
import CarillonCluster
import CarillonCore
import CarillonRegistry

/// Carries out the actions of the node.
extension NodeLoop {
    func carryOut(_ action: ClusterNode.Action) {
        switch action {
        case .call(let logCall): call(logCall)
        case .apply(let application): apply(application)
        case .finish(let id, let end): instructions.append(.finish(id, end))
        case .answerChanges(let position): instructions.append(.answerChanges(through: position))
        case .endRead(let end): readEnded(end)
        case .endRemoval(let number, let end): removalEnded(number, with: end)
        case .beginIncarnation(let joined):
            instructions.append(.joined(joined))
            observer.incarnationBegan(joined.member)
        case .endIncarnation(let member): observer.incarnationEnded(member)
        case .makeSnapshot: makeSnapshot()
        case .loadSnapshot(let snapshot): load(snapshot)
        case .stop(let reason):
            end()
            observer.stopped(reason)
        }
    }

    private func call(_ logCall: ClusterNode.LogCall) {
        let entries = timeouts.entriesMilliseconds
        let control = timeouts.controlMilliseconds
        switch logCall {
        case .join(let joining):
            log.join(joining, withinMilliseconds: control) { [weak self] result in
                self?.event { $0.joinEnded(result, at: $1) }
            }
        case .append(let entry):
            log.append(entry, withinMilliseconds: entries, appendCompletion())
        case .expire(let entry, let silence):
            log.expire(entry, silence: silence, withinMilliseconds: entries, appendCompletion())
        case .settle(let id):
            log.settle(id, withinMilliseconds: entries) { [weak self] result in
                self?.event { $0.settleEnded(result, at: $1) }
            }
        case .read(let position):
            log.read(after: position, limit: ReadLimit(), withinMilliseconds: entries) { [weak self] result in
                self?.event { $0.readEnded(result, at: $1) }
            }
        case .awaitEntries(let position):
            log.awaitEntries(after: position, withinMilliseconds: options.entryWaitMilliseconds) { [weak self] result in
                self?.event { $0.awaitEnded(result, at: $1) }
            }
        case .renew(let progress):
            log.renew(progress, withinMilliseconds: control) { [weak self] result in
                self?.renewEnded(result)
            }
        case .trim(let trim):
            log.trim(
                through: trim.through, snapshotsBefore: trim.snapshotsBefore,
                withinMilliseconds: timeouts.bulkMilliseconds
            ) {
                [weak self] _ in self?.event { $0.trimEnded(at: $1) }
            }
        }
    }

    /// Returns the completion of an append that begins now.
    private func appendCompletion() -> LogCompletion<LogPosition> {
        let began = Clock.uptimeNanoseconds()
        return { [weak self] result in
            guard let self else { return }
            if case .success = result { observer.appended(Clock.uptimeNanoseconds() - began) }
            event { $0.appendEnded(result, at: $1) }
        }
    }

    private func renewEnded(_ result: Result<ClusterView, LogError>) {
        executor.execute { [self] in
            guard !isEnded else { return }
            if case .success = result { renewalAnswered() }
            node.renewEnded(result, at: executor.now)
            carryOut()
        }
    }

    /// Hands entries to the writer, unless the replica is empty and the log began with other parameters than its own:
    /// then the replica begins again with the log's parameters.
    private func apply(_ application: ClusterNode.EntriesToApply) {
        let initialState = application.entries.lazy.compactMap { entry -> InitialState? in
            if case .initialState(let initialState) = entry.content { initialState } else { nil }
        }.first
        let own = registry.initialParameters
        guard node.replicaState.initialState == nil, let initialState,
            initialState.parameters.prefix(own.count) != own[...]
        else {
            return instructions.append(.apply(application))
        }
        beginAgain(with: Array(initialState.parameters.prefix(own.count)))
    }
}
