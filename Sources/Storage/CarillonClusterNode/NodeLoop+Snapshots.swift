import CarillonCluster
import CarillonCore
import CarillonRegistry
import CarillonThread

/// Makes snapshots of the replica, and the database that replaces it at the next start. Both wait for disks and the
/// log, so each has a thread of its own.
extension NodeLoop {
    // MARK: Making one

    /// Makes a snapshot of the replica on a thread of its own, and stores it in the log.
    func makeSnapshot() {
        guard let member = node.member else { return snapshotEnded(.failure(.fenced)) }
        let upload = SnapshotUpload(
            registry: registry, log: log, member: member, format: options.newestFormat,
            timeoutMilliseconds: timeouts.bulkMilliseconds)
        run { node in node.snapshotEnded(upload.run()) }
    }

    private func snapshotEnded(_ result: Result<Void, LogError>) {
        if case .failure(let failure) = result, failure.isUnexpected {
            observer.noticed("A snapshot for the cluster cannot be made: \(failure).")
        }
        event { $0.snapshotEnded(result, at: $1) }
    }

    // MARK: Beginning with one

    /// Fetches a snapshot for the next start to go on with.
    func load(_ snapshot: Snapshot) {
        guard let logName = node.replicaState.log else { return snapshotLoadEnded(.failure(.noSnapshot)) }
        observer.noticed(
            "The node begins with the snapshot at position \(snapshot.header.position): \(snapshot.bytes) bytes.")
        let download = SnapshotDownload(
            snapshot: snapshot, log: log, logName: logName, replicaID: options.replicaID, path: registry.path,
            timeoutMilliseconds: timeouts.bulkMilliseconds)
        run { node in node.snapshotLoadEnded(download.run()) }
    }

    private func snapshotLoadEnded(_ result: Result<Void, LogError>) {
        guard case .failure(let failure) = result else { return startAgain() }
        observer.noticed("The snapshot cannot be used: \(failure).")
        event { $0.snapshotLoadEnded(.failure(failure), at: $1) }
    }

    /// Makes an empty database with the parameters of the log, for the next start to go on with.
    func beginAgain(with parameters: [UInt8]) {
        run { node in
            do throws(RegistryError) {
                let replacement = try ReplicaReplacement(of: node.registry.path)
                try replacement.makeEmpty(parameters: parameters, replicaID: node.options.replicaID)
                try replacement.complete()
                node.startAgain()
            } catch {
                node.executor.execute {
                    guard !node.isEnded else { return }
                    node.end()
                    node.observer.stopped(.corrupted("its initial state cannot be stored: \(error)"))
                }
            }
        }
    }

    private func startAgain() {
        executor.execute { [self] in
            guard !isEnded else { return }
            end()
            observer.mustStartAgain()
        }
    }

    /// Runs a function that may wait on a thread of its own, or in a job if the system gives no thread.
    private func run(_ body: @escaping @Sendable (NodeLoop) -> Void) {
        do throws(SystemThread.StartError) {
            try SystemThread.start(named: "snapshots") { [self] in body(self) }
        } catch {
            observer.noticed("\(error)")
            executor.execute { [self] in body(self) }
        }
    }
}

extension LogError {
    /// True if the failure is a fault, which is logged. False if another node makes a snapshot, if there is no snapshot
    /// any more, or if the incarnation is over.
    fileprivate var isUnexpected: Bool {
        switch self {
        case .snapshotUnderWay, .fenced, .noSnapshot: false
        default: true
        }
    }
}
