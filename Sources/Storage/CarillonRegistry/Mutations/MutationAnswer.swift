import CarillonCore

/// The answer to a mutation of the case of the same name.
enum MutationAnswer: Hashable, Sendable {
    case change(ChangeAnswer)
    case changes([ChangeAnswer])
    case swept(Completeness)
}
