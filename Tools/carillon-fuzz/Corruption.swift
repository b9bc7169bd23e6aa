/// A change that corrupts one stored record.
struct Corruption {
    enum Step {
        case flip(offset: UInt8, mask: UInt8)
        case cut(count: UInt8)
        case replace([UInt8])
        case remove
        case add(key: [UInt8], value: [UInt8])
    }

    /// The number of the database. Numbers beyond the last begin anew.
    var table: Int
    /// The number of the record in the database. Numbers beyond the last begin anew.
    var row: Int
    var step: Step

    /// Reads at most eight corruptions.
    static func read(_ choices: inout Choices) -> [Corruption] {
        var result: [Corruption] = []
        while !choices.isEmpty, result.count < 8 {
            let (table, row) = (Int(choices.byte()), Int(choices.byte()))
            let step: Step =
                switch choices.byte() % 5 {
                case 0: .flip(offset: choices.byte(), mask: choices.byte())
                case 1: .cut(count: choices.byte())
                case 2: .replace(choices.take(Int(choices.byte())))
                case 3: .remove
                default: .add(key: choices.take(Int(choices.byte()) + 1), value: choices.take(Int(choices.byte())))
                }
            result.append(Corruption(table: table, row: row, step: step))
        }
        return result
    }
}
