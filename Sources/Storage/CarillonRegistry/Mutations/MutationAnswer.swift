import CarillonCore

/// The answer to a mutation: to one change, to changes that take effect together, or to a sweep.
enum MutationAnswer: Hashable, Sendable {
    case change(ChangeAnswer)
    case changes([ChangeAnswer])
    case swept(Completeness)
}
