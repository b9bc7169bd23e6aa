import CarillonCore
import CarillonWire

/// Administration (Protocol 8c).
extension RequestRunner {
    func statistics(_ it: StatisticsQuery, _ work: Work) {
        statistics.read(on: readers) { statistics in
            guard let statistics else { return work.answer(.failure(Self.reply(.closed))) }
            work.answer(.success(.statistics(statistics.cut(to: Int(it.limit)))))
        }
    }
}
