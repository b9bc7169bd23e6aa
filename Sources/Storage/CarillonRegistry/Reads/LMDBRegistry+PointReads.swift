package import CarillonCore
import CarillonLMDB

/// The operations LOOKUP and MESSAGE_STATUS: on a snapshot, or by the writer (`PointReads`).
extension LMDBRegistry {
    /// Answers point reads on one snapshot, without waiting; see `Registry.pointRead`.
    package func pointRead(
        _ pointReads: ArraySlice<PointRead>, of app: AppID,
        _ answered: (Int, Result<PointReadResult?, RegistryError>?) -> Bool
    ) {
        // This is read before the snapshot begins: then the snapshot shows everything that is answered now.
        let isSnapshotCurrent = isSnapshotCurrent
        do throws(RegistryError) {
            try readBrieflyWithoutWaiting { transaction, tables in
                let view: PointReader.View =
                    if isSnapshotCurrent { .current } else if readGate.knowsChangedDevices { .unchangedDevices } else {
                        .unreliable
                    }
                guard let reader = try PointReader(app: app, tables: tables, in: transaction) else {
                    return PointReader.answerWithoutApp(pointReads, view: view, answered)
                }
                reader.answer(pointReads, view: view, in: transaction, answered)
            }
        } catch {
            // There is no snapshot, or the rows about the whole app cannot be read. In both cases no read was answered
            // before.
            for index in pointReads.indices where !answered(index, .failure(error)) { return }
        }
    }

    /// Answers point reads on what the writer has applied; see `Registry.submitPointReads`.
    package func submitPointReads(
        _ pointReads: [PointRead], of app: AppID, for principal: String,
        completion: @escaping @Sendable ([Result<PointReadResult?, RegistryError>]) -> Void
    ) {
        let read = WriterRead(
            principal: principal,
            needs: .pointReads(app: app),
            run: { transaction, tables, known in
                completion(
                    PointReader.firstAnswers(to: pointReads, app: app, known: known, tables: tables, in: transaction))
            },
            fail: { error in completion(pointReads.map { _ in .failure(error) }) })
        guard !queue.append(read) else { return }
        // The writer has ended: everything is committed, or there is an error.
        var results: [Result<PointReadResult?, RegistryError>] = []
        pointRead(pointReads[...], of: app) {
            results.append($1 ?? .failure(.closed))
            return true
        }
        completion(results)
    }

    /// Returns the device of a reference, active or quarantined; nil if there is no such device.
    package func device(_ reference: DeviceReference, of app: AppID) throws(RegistryError) -> DeviceRecord? {
        try readCurrent { transaction, tables in
            guard let reader = try PointReader(app: app, tables: tables, in: transaction) else { return nil }
            return try reader.device(reference, cached: reader.prefetch([.device(reference)])[0], in: transaction)
        }
    }

    package func status(of message: MessageID, app: AppID) throws(RegistryError) -> MessageStatus? {
        try readCurrent { transaction, tables in
            try PointReader(app: app, tables: tables, in: transaction)?.status(of: message, in: transaction)
        }
    }

    package func content(of message: MessageID, app: AppID) throws(RegistryError) -> MessageContent? {
        try readCurrent { transaction, tables in
            try MessageReader(message, app: app, tables: tables, in: transaction)?.content(in: transaction)
        }
    }
}
