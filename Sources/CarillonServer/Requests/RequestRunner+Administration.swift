import CarillonCore
import CarillonWire

/// Administration (Protocol 8c).
extension RequestRunner {
    func statistics(_ it: StatisticsQuery, _ work: Work) {
        // It tells of every app.
        guard work.principal.apps(as: [.admin, .observe]) == nil else {
            return work.answer(
                .failure(
                    ErrorReply(.forbidden, message: "\(work.principal.name) neither administers nor observes every app")
                ))
        }
        statistics.read(on: readers) { statistics in
            guard let statistics else { return work.answer(.failure(Self.reply(.closed))) }
            work.answer(.success(.statistics(statistics.cut(to: Int(it.limit)))))
        }
    }
}
