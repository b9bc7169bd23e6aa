import CarillonCore
import CarillonLMDB

/// The table `setnames`: app `u32`, number `u32` → kind `u8`, name. It leads from a number back to its set.
struct SetNameTable {
    let database: Database

    func get(
        _ number: SetNumber, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> SetLabel? {
        try withKey(app: app, number) { key in try transaction.get(key, in: database, Self.decode) }
    }

    /// Returns the name of a set that another table names.
    ///
    /// - Throws: `.corrupted` if the number has no row.
    func label(
        of number: SetNumber, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> SetLabel {
        guard let label = try get(number, app: app, in: transaction) else {
            throw RegistryError.corrupted("setnames: no row of set \(number)")
        }
        return label
    }

    /// Returns the name of a group that another table names.
    ///
    /// - Throws: `.corrupted` if the number has no row, or its name cannot be that of a group.
    func group(
        _ number: SetNumber, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> GroupName {
        guard let group = GroupName(try label(of: number, app: app, in: transaction).name) else {
            throw RegistryError.corrupted("setnames: an invalid group")
        }
        return group
    }

    func put(_ label: SetLabel, for number: SetNumber, app: AppNumber, in transaction: inout WriteTransaction) throws {
        try withKey(app: app, number) { key in
            try ByteWriter.withBytes(capacity: SetLabel.maximumBytes, { label.append(to: &$0) }) { value in
                try transaction.put(value, for: key, in: database)
            }
        }
    }

    func delete(_ number: SetNumber, app: AppNumber, in transaction: inout WriteTransaction) throws {
        _ = try withKey(app: app, number) { key in try transaction.delete(key, in: database) }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (AppNumber, SetNumber, SetLabel) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let (app, number) = try ByteReader.read(key, of: "setnames") {
                (try $0.number(AppNumber.self), try $0.number(SetNumber.self))
            }
            try body(app, number, try Self.decode(value))
            return .proceed
        }
    }

    private func withKey<R>(app: AppNumber, _ number: SetNumber, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: AppNumber.byteCount + SetNumber.byteCount,
            {
                $0.append(app)
                $0.append(number)
            },
            body
        )
    }

    private static func decode(_ value: Span<UInt8>) throws -> SetLabel {
        try ByteReader.read(value, of: "setnames") { try SetLabel(&$0) }
    }
}
