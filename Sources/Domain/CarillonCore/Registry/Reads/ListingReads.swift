/// The reads that a `LongReadOperation` may make.
package protocol ListingReads: DeviceReads, MessageReads {}
