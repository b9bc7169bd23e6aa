import CarillonCore

/// The changes after which some pushes must not begin.
extension Change {
    /// Returns true if a push that is begun without knowing the change may be wrong: its answer waits until every node
    /// knows it (`AnswerRule`).
    ///
    /// - Parameter answer: the answer that applying it has given.
    func isUrgent(with answer: ChangeAnswer) -> Bool {
        if case .updateMessage(let request, _) = self, case .messageUpdated = answer {
            switch request.messageUpdate {
            case .cancel, .pause, .pace(_?): return true
            case .resume, .pace(nil): return false
            }
        }
        return answer.affected != .devices([])
    }
}

extension Mutation {
    /// Returns true if one of its changes is urgent. A sweep is not.
    func isUrgent(with answer: MutationAnswer) -> Bool {
        switch (self, answer) {
        case (.change(let change), .change(let answer)): change.isUrgent(with: answer)
        case (.changes(let changes), .changes(let answers)):
            zip(changes, answers).contains { $0.isUrgent(with: $1) }
        default: false
        }
    }
}
