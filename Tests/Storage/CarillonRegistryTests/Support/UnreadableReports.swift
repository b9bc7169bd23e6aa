import Synchronization

/// The rows that a registry has reported as unreadable.
final class UnreadableReports: Sendable {
    private let texts = Mutex<[String]>([])

    @Sendable func record(_ text: String) { texts.withLock { $0.append(text) } }

    /// Takes all reports since the last call.
    func take() -> [String] {
        texts.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }
}
