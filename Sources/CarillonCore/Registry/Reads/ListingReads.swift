/// The reads that a `ListingOperation` may make.
package protocol ListingReads: DeviceReads, MessageReads {}
