import CarillonCluster
import CarillonCore

extension SimulatedNode {
    func carryOut(_ action: ClusterNode.Action) {
        switch action {
        case .call(let logCall): call(logCall)
        case .apply(let application): beginApplying(application)
        case .finish(let id, let end): finish(id, with: end)
        case .answerChanges(let position): answerChanges(through: position)
        // No operator removes a node in a simulation.
        case .endRemoval: break
        case .endRead(let end): endRead(end.read, refusal: end.refusal)
        case .beginIncarnation, .endIncarnation: sender.beginAgain()
        case .makeSnapshot: makeSnapshot()
        case .loadSnapshot(let snapshot): load(snapshot)
        case .stop(let reason): stopped(reason)
        }
    }

    private func call(_ logCall: ClusterNode.LogCall) {
        let start = startCount
        let limit = cluster.times.maximumCallMilliseconds
        switch logCall {
        case .join(let joining):
            log.join(joining, withinMilliseconds: limit) { result in
                self.receive(inStart: start) { $0.event { node, now in node.joinEnded(result, at: now) } }
            }
        case .append(let entry): log.append(entry, withinMilliseconds: limit, ended(start))
        case .expire(let entry, let silence):
            log.expire(entry, silence: silence, withinMilliseconds: limit, ended(start))
        case .settle(let id):
            log.settle(id, withinMilliseconds: limit) { result in
                self.receive(inStart: start) { $0.event { node, now in node.settleEnded(result, at: now) } }
            }
        case .read(let position):
            log.read(after: position, limit: ReadLimit(entries: 20), withinMilliseconds: limit) { result in
                self.receive(inStart: start) { $0.event { node, now in node.readEnded(result, at: now) } }
            }
        case .awaitEntries(let position):
            log.awaitEntries(after: position, withinMilliseconds: cluster.times.entryWaitMilliseconds) { result in
                self.receive(inStart: start) { $0.event { node, now in node.awaitEnded(result, at: now) } }
            }
        case .renew(let progress):
            log.renew(progress, withinMilliseconds: limit) { result in
                self.receive(inStart: start) { $0.event { node, now in node.renewEnded(result, at: now) } }
            }
        case .trim(let trim):
            log.trim(through: trim.through, snapshotsBefore: trim.snapshotsBefore, withinMilliseconds: limit) { _ in
                self.receive(inStart: start) { $0.event { node, now in node.trimEnded(at: now) } }
            }
        }
    }

    private func ended(_ start: Int) -> LogCompletion<LogPosition> {
        { result in self.receive(inStart: start) { $0.event { node, now in node.appendEnded(result, at: now) } } }
    }

    private func stopped(_ reason: ClusterNode.StopReason) {
        switch reason {
        case .left: break
        // It was away while the others began to write the next format.
        case .unknownFormat where newestFormat == 1: newestFormat = 2
        case .differs, .unknownFormat, .otherLog, .foreignData, .logIsOlder, .corrupted:
            cluster.judge.report("\(name) has stopped: \(reason)")
        }
        crash()
    }

    // MARK: Snapshots

    private func makeSnapshot() {
        let start = startCount
        let limit = cluster.times.maximumCallMilliseconds
        guard let member = node?.member else { return snapshotEnded(inStart: start, .failure(.fenced)) }
        // What a snapshot contains is on the disk of its node.
        commit()
        let header = SnapshotHeader(
            member: member, position: model.position, hash: model.hash.value, format: newestFormat)
        cluster.snapshots.append(model)
        let number = [UInt8(cluster.snapshots.count >> 8), UInt8(cluster.snapshots.count & 255)]
        log.beginSnapshot(header, withinMilliseconds: limit) { result in
            guard case .success(let id) = result else { return self.snapshotEnded(inStart: start, result.map { _ in }) }
            self.log.putSnapshotChunk(number, number: 0, of: id, withinMilliseconds: limit) { result in
                guard case .success = result else { return self.snapshotEnded(inStart: start, result) }
                self.log.completeSnapshot(id, chunks: 1, withinMilliseconds: limit) {
                    self.snapshotEnded(inStart: start, $0)
                }
            }
        }
    }

    private func snapshotEnded(inStart start: Int, _ result: Result<Void, LogError>) {
        receive(inStart: start) { $0.event { node, now in node.snapshotEnded(result, at: now) } }
    }

    private func load(_ snapshot: Snapshot) {
        let start = startCount
        log.snapshotChunk(0, of: snapshot.id, withinMilliseconds: cluster.times.maximumCallMilliseconds) { result in
            self.receive(inStart: start) { process in
                switch result {
                case .success(let bytes):
                    process.load(process.cluster.snapshots[Int(bytes[0]) << 8 + Int(bytes[1]) - 1])
                case .failure(let failure):
                    process.event { node, now in node.snapshotLoadEnded(.failure(failure), at: now) }
                }
            }
        }
    }
}
